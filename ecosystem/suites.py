"""Run other people's tests of training, bare and under `pytest --zerograd`, and compare.

The same tests must pass, and every finding must be one that somebody has read: suites.toml has the
suites, pinned by hash, and for each finding a verdict with a sentence.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from archives import Checkout, EcosystemError, Package, unpacked

if TYPE_CHECKING:
    from collections.abc import Mapping

RECORDED = Path(__file__).with_name("suites.toml")
CACHE = Path.home() / ".cache" / "zerograd" / "suites"
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore")
FINDING = re.compile(r"(?m)^\S+?:\d+(?::\d+)?: (ZG\d{3} [a-z-]+):")


@dataclass(frozen=True, slots=True)
class Suite:
    """The tests of one release."""

    source: Package | Checkout
    folder: str
    """Within the archive: where its tests are run."""

    tests: tuple[str, ...]
    """What pytest is told to run."""

    needs: tuple[str, ...]
    """Packages that the tests import, and that zerograd's own environment lacks."""


@dataclass(frozen=True, slots=True, order=True)
class SuiteFinding:
    """A rule that a test of a suite broke."""

    suite: str
    test: str
    rule: str

    def __str__(self) -> str:
        return f"{self.suite}: {self.test}: {self.rule}"


@dataclass(slots=True)
class Outcome:
    """How the tests of a suite ended, by name."""

    passed: set[str]
    findings: set[SuiteFinding]


def main(names: list[str]) -> int:
    """Run all suites, or the named ones; return 1 where something differs from the record."""
    document = tomllib.loads(RECORDED.read_text("utf-8"))
    suites = [suite_of(entry) for entry in document["suite"]]
    chosen = [suite for suite in suites if not names or suite.source.name in names]
    if not chosen:
        raise EcosystemError(f"{RECORDED.name} has no suite {', '.join(names)}")
    read = {
        SuiteFinding(one["suite"], one["test"], one["rule"]): one["verdict"]
        for one in document.get("finding", ())
    }
    return max(compared(suite, read) for suite in chosen)


def suite_of(entry: Mapping[str, Any]) -> Suite:
    """Return a suite as the file describes it."""
    called = entry["name"], entry["version"]
    source = (
        Checkout(*called, entry["repository"], entry["commit"], entry["folder"])
        if "commit" in entry
        else Package(*called, entry["url"], entry["sha256"])
    )
    return Suite(source, entry["folder"], tuple(entry["tests"]), tuple(entry.get("needs", ())))


def compared(suite: Suite, read: Mapping[SuiteFinding, str]) -> int:
    """Run a suite twice, and say what is different, and what nobody has read."""
    name = suite.source.name
    bare, watched = run(suite, "--no-header"), run(suite, "--zerograd")
    with_findings = {one.test for one in watched.findings}
    lost = sorted(bare.passed - watched.passed - with_findings)
    new = sorted(watched.findings - read.keys())
    gone = sorted(one for one in read if one.suite == name and one not in watched.findings)
    false = sorted(one for one in watched.findings if read.get(one) == "false")
    print(f"{name}: {len(bare.passed)} tests pass, {len(lost)} of them not when watched; ", end="")
    print(f"{len(watched.findings)} findings, {len(new)} of them unread, {len(false)} false")
    for what, those in (("fails when watched", lost), ("unread", new), ("gone", gone)):
        print(*(f"  {what}: {one}" for one in those), sep="\n", end="\n" if those else "")
    return int(bool(lost or new or gone or false))


def run(suite: Suite, option: str) -> Outcome:
    """Run the tests of a suite in a process of their own."""
    folder = unpacked(suite.source, CACHE) / suite.folder
    paths = [str(folder), *([str(packages(suite))] if suite.needs else [])]
    with TemporaryDirectory() as temporary:
        report = Path(temporary) / "report.xml"
        subprocess.run(
            [sys.executable, *PYTEST, option, f"--junitxml={report}", *suite.tests],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdout=subprocess.DEVNULL,
            check=False,  # a suite may have failures of its own: they are compared
        )
        return outcome(suite.source.name, report.read_text("utf-8"))


def packages(suite: Suite) -> Path:
    """Return a folder with what the tests import besides, installed if it is not there yet."""
    folder = CACHE / "packages" / suite.source.name
    if not folder.is_dir():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--target", str(folder), *suite.needs], check=True)
    return folder


def outcome(suite: str, report: str) -> Outcome:
    """Read pytest's own report."""
    ended = Outcome(set(), set())
    for case in ET.fromstring(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        failures = [one for kind in ("failure", "error") for one in case.findall(kind)]
        rules = {rule for one in failures for rule in FINDING.findall(one.text or "")}
        ended.findings |= {SuiteFinding(suite, name, rule) for rule in rules}
        if not failures and case.find("skipped") is None:
            ended.passed.add(name)
    return ended


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except EcosystemError as error:
        sys.exit(f"zerograd: {error}")
