"""Lint pinned packages of the ecosystem, and fail when the findings are not those on record."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from archives import EcosystemError, read_packages, unpacked
from verdicts import Loud, changes, read_verdicts, told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from archives import Package

COMMAND = Path(sys.executable).with_name("zerograd")
OPTIONS = ("lint", "--format", "json", "--exit-zero")
CACHE = Path.home() / ".cache" / "zerograd" / "ecosystem"

FLOOR = 0.70
"""Of the training loops that lint sees, the share that it must be able to judge."""


@dataclass(frozen=True, slots=True)
class Linted:
    """What lint said about one package."""

    package: Package
    findings: tuple[Loud, ...]
    loops: int
    checked: int
    unchecked: tuple[str, ...]
    """A line for each loop that was not judged."""

    def __str__(self) -> str:
        share = f"{self.checked / self.loops:6.0%}" if self.loops else "     -"
        name = f"{self.package.name} {self.package.version}"
        return f"{name:40}{len(self.findings):9}{self.loops:7}{self.checked:9}{share}"


HEAD = f"{'package':40}{'findings':>9}{'loops':>7}{'checked':>9}{'reach':>6}"


def main(arguments: list[str]) -> int:
    """Lint all packages, or the named ones; `--reach` lists the loops that were not judged."""
    names = {name for name in arguments if not name.startswith("-")}
    packages = [item for item in read_packages() if not names or item.name in names]
    if names - {item.name for item in packages}:
        raise EcosystemError(f"not in packages.toml: {', '.join(sorted(names))}")
    print(HEAD)
    every = []
    for package in packages:
        every.append(linted(package, CACHE))
        print(every[-1], flush=True)
    if "--reach" in arguments:
        print(*(line for item in every for line in item.unchecked), sep="\n")
    return judged(every)


def linted(package: Package, cache: Path) -> Linted:
    """Lint one package with the command that users have."""
    folder = unpacked(package, cache)
    answer = subprocess.run([COMMAND, *OPTIONS], cwd=folder, capture_output=True, text=True)
    if answer.returncode != 0:
        raise EcosystemError(f"lint failed on {package.name}: {answer.stderr.strip()}")
    report = json.loads(answer.stdout)
    reach = report["reach"]
    return Linted(
        package,
        tuple(sorted(loud(package, report["findings"]))),
        reach["seen"],
        reach["checked"],
        tuple(f"{package.name}: {told_loop(loop)}" for loop in reach["unchecked"]),
    )


def loud(package: Package, findings: list[dict[str, Any]]) -> Iterator[Loud]:
    """Yield the findings about training: that a file is not Python is not lint's to discuss."""
    for item in findings:
        if not item["code"].startswith("ZG0"):
            yield Loud(package.name, item["path"], item["line"], item["name"])


def told_loop(loop: dict[str, Any]) -> str:
    """Return where a loop is and what stopped lint."""
    return f"{loop['path']}:{loop['line']}: {loop['reason']}"


def judged(every: list[Linted]) -> int:
    """Compare with what is on record, say what to do, and return the status."""
    loops, checked = sum(item.loops for item in every), sum(item.checked for item in every)
    found = [finding for item in every for finding in item.findings]
    print(f"\n{len(every)} packages, {len(found)} findings")
    print(f"{loops} loops, {checked} checked: {checked / loops:.0%}")
    packages = {item.package.name for item in every}
    verdicts = [item for item in read_verdicts() if item.finding.package in packages]
    difference = changes((item.finding for item in verdicts), found)
    wrong = [item for item in verdicts if item.verdict == "false"]
    for item in wrong:
        print(f"false    {item.finding}: {item.why}")
    if difference:
        print("\nThe findings are not those on record.\n", *told(difference), sep="\n")
    if checked < FLOOR * loops:
        print(
            f"\nFewer than {FLOOR:.0%} of the loops were checked; `--reach` says what hides them."
        )
    return 1 if difference or wrong or checked < FLOOR * loops else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except EcosystemError as error:
        sys.exit(f"ecosystem: {error}")
