"""Run the tests with another torch or Python, and write the row of docs/compatibility.md.

    make compat TORCH=2.8.0                          one torch, on this Python
    make compat TORCH="2.5.1 2.6.0"                  one after the other
    make compat TORCH=2.15.0 PYTHON=python3.13       on another Python
    make compat TORCH=none PYTHON=python3.14         what needs no torch: lint, settings
    make compat TORCH=2.8.0 COMPAT_TESTS=core        half of the tests, and a third of the scripts
    make compat TORCH=2.8.0 COMPAT_TESTS=first       without the engine's own tests

Each environment is made in a temporary folder, outside of the clone, and removed after its row was
written. PyPI's wheels are CUDA builds of several GB; they run on a CPU.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "compatibility.md"
TESTED = ROOT / "src" / "zerograd" / "watch" / "report" / "tested_versions.py"
BEGIN, END = "<!-- rows: make compat -->\n", "<!-- end of rows -->\n"
NOT_RUN, END_NOT_RUN = "<!-- not run: make compat -->\n", "<!-- end of not run -->\n"
COLUMNS = (
    *("torch", "Python", "tests", "passed", "failed", "skipped", "rules not heard"),
    *("the engine refuses", "commit"),
)

FIRST = (
    *("tests/compat/test_first_use.py", "tests/compat/test_capabilities.py", "tests/hooks"),
    "tests/watch/test_schedules.py",
)
"""First use and hooks; the agreement of watch and scripts comes by sample."""

CORE = (
    *(*FIRST, "tests/engine/test_gradients.py", "tests/engine/test_precision.py"),
    "tests/engine/ranks/test_rank_decisions.py",
)
"""That, and the engine, alone and over ranks."""

WITH_TORCH = (
    *(*CORE, "tests/engine/test_nonfinite.py", "tests/engine/test_resume.py"),
    "tests/testing/test_same_gradients.py",
)
SELECTIONS = {"first": FIRST, "core": CORE, "whole": WITH_TORCH}
CHOSEN = os.environ.get("COMPAT_TESTS", "whole")
SELECTION = SELECTIONS[CHOSEN]
"""A part of them where there is little time."""

AGREEMENT = "tests/watch/test_agreement.py"
SAMPLED = 8 if SELECTION is WITH_TORCH else 24
"""Of the scripts, sorted by rule, every so many-th is run bare and watched."""

WITHOUT_TORCH = (
    *("tests/settings", "tests/source", "tests/findings", "tests/lint_shell/test_find_files.py"),
    *("tests/cli/test_rules_verb.py", "tests/cli/test_explain_verb.py", "tests/lint/test_paths.py"),
    *("tests/lint/test_project.py", "tests/compat/test_lint_everywhere.py"),
)
"""What `zerograd lint` needs, where there is no torch for a Python."""

TOOLS = (
    *("click", "rich", "jinja2", "plotly", "pytest", "pytest-timeout", "pytest-xdist"),
    *("hypothesis", "jsonschema", "nbformat"),
)

PROBE = """
import json, torch
from zerograd.hooks import torch_parts as capabilities
import zerograd
model = torch.nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with zerograd.watch(report=False):
    for _ in range(2):
        for size in (3, 2):
            labels = torch.zeros(size, dtype=torch.long)
            (torch.nn.functional.cross_entropy(model(torch.randn(size, 4)), labels) / 2).backward()
        optimizer.step()
        optimizer.zero_grad()
absent = [p for p in capabilities.PARTS if p.feature and p.since
          and capabilities.find(f"{p.owner}.{p.name}") is None]
print(json.dumps({"torch": torch.__version__, "unheard": capabilities.unheard(),
                  "refused": [p.feature for p in absent]}))
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run of the tests came to."""

    passed: int
    skipped: Counter[str]
    failed: list[str]


def main() -> int:
    """Run every torch that was asked for; return 1 if a test failed on one."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("--torch", nargs="+", default=["none"])
    asked.add_argument("--python", default=sys.executable)
    asked.add_argument("--environment", type=Path, help="use this one, and keep it")
    chosen = asked.parse_args()
    return max(one_row(version, chosen.python, chosen.environment) for version in chosen.torch)


def one_row(version: str, python: str, environment: Path | None) -> int:
    """Make an environment, run the tests in it, write the row, and remove the environment."""
    with tempfile.TemporaryDirectory(prefix="zerograd-compat-") as folder:
        venv = environment or made(Path(folder) / "venv", version, python)
        pair = version, of_python(venv)
        run = "lint" if version == "none" else CHOSEN, commit()
        outcome = tested(venv, WITHOUT_TORCH if version == "none" else (*SELECTION, *sample(venv)))
        known = {} if version == "none" else probed(venv)
        row = written(pair, run, outcome, known)
        if environment is None:
            shutil.rmtree(venv)
    page = with_not_run(with_row(PAGE.read_text("utf-8"), row))
    PAGE.write_text(page, "utf-8")
    TESTED.write_text(with_tested(TESTED.read_text("utf-8"), page), "utf-8")
    print(row)
    for name in outcome.failed:
        print(f"failed: {name}", file=sys.stderr)
    return bool(outcome.failed)


def made(venv: Path, version: str, python: str) -> Path:
    """Return a new environment with this torch and zerograd."""
    subprocess.run([python, "-m", "venv", str(venv)], check=True)
    pip = [str(venv / "bin" / "python"), "-m", "pip", "--quiet", "install"]
    pinned = re.findall(r"^[\w.-]+==\S+", (ROOT / "constraints.txt").read_text("utf-8"), re.M)
    tools = [pin for pin in pinned if pin.partition("==")[0] in TOOLS]
    if version != "none":
        subprocess.run([*pip, f"torch=={version}", "numpy", "setuptools<81"], check=True)
    subprocess.run([*pip, *tools], check=True)
    subprocess.run([*pip, "--no-deps", "-e", str(ROOT)], check=True)
    return venv


def sample(venv: Path) -> list[str]:
    """Return the tests of some scripts of every rule."""
    collect = [str(venv / "bin" / "python"), "-m", "pytest", "--collect-only", "-q", AGREEMENT]
    done = subprocess.run(collect, cwd=ROOT, check=True, capture_output=True, text=True)
    tests = [line for line in done.stdout.splitlines() if line.endswith("]")]
    scripts = list(dict.fromkeys(test.partition("[")[2] for test in tests))
    chosen = set(scripts[::SAMPLED])
    return [test for test in tests if test.partition("[")[2] in chosen]


def tested(venv: Path, selection: Iterable[str]) -> Outcome:
    """Run the tests, and return what came of them."""
    with tempfile.TemporaryDirectory(prefix="zerograd-compat-") as folder:
        said = Path(folder) / "tests.xml"
        command = [str(venv / "bin" / "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += ["-n", os.environ.get("WORKERS", "2"), f"--junit-xml={said}", *selection]
        subprocess.run(command, cwd=ROOT, check=False)
        return read(said.read_text("utf-8"))


def read(document: str) -> Outcome:
    """Return the outcome that pytest wrote down."""
    passed, skipped, failed = 0, Counter[str](), []
    for case in ET.fromstring(document).iter("testcase"):
        reason = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(f"{case.get('classname')}.{case.get('name')}")
        elif reason is not None:
            skipped[shortened(reason.get("message") or "")] += 1
        else:
            passed += 1
    return Outcome(passed, skipped, failed)


def shortened(reason: str) -> str:
    """Return why a test was skipped, without the command that would help.

    >>> shortened("needs lightning: pip install -c constraints.txt --group frameworks")
    'needs lightning'
    """
    return reason.partition(": ")[0].partition("; ")[0]


def probed(venv: Path) -> dict[str, list[str]]:
    """Ask the environment's torch what is not heard and what is refused."""
    command = [str(venv / "bin" / "python"), "-c", PROBE]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    answer: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return answer


def of_python(venv: Path) -> str:
    """Return the environment's Python, as people name it."""
    asked = "import platform; print(platform.python_version())"
    command = [str(venv / "bin" / "python"), "-c", asked]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit() -> str:
    """Return the commit that is tested; what earlier rows wrote is no change of it.

    >>> commit() == "unknown" or len(commit().split()[0]) == 10
    True
    """
    git = ["git", "-C", str(ROOT)]
    head = [*git, "rev-parse", "--short=10", "HEAD"]
    done = subprocess.run(head, check=False, capture_output=True, text=True)
    if done.returncode:
        return "unknown"
    written_by_rows = [f":!{path.relative_to(ROOT)}" for path in (PAGE, TESTED)]
    status = [*git, "status", "--porcelain", "--untracked-files=no", "--", ".", *written_by_rows]
    changed = subprocess.run(status, check=True, capture_output=True, text=True).stdout
    return done.stdout.strip() + (" with changes" if changed else "")


def written(
    pair: tuple[str, str], run: tuple[str, str], outcome: Outcome, known: dict[str, list[str]]
) -> str:
    """Return a row of the table: torch and Python, the selection of tests and the commit."""
    reasons = ", ".join(f"{count} {why}" for why, count in sorted(outcome.skipped.items()))
    skipped = f"{outcome.skipped.total()} ({reasons})" if outcome.skipped else "0"
    names = [f"`{name.rpartition('.')[2]}`" for name in outcome.failed]
    failed = f"{len(names)} ({', '.join(names)})" if names else "0"
    unheard = ", ".join(known.get("unheard", [])) or "none"
    refused = ", ".join(f"`{one}`" for one in known.get("refused", [])) or "nothing"
    if pair[0] == "none":
        unheard = refused = "no torch here"
    selection, of_commit = run
    passed = str(outcome.passed)
    cells = (*pair, selection, passed, failed, skipped, unheard, refused, of_commit)
    return f"| {' | '.join(cells)} |\n"


def with_row(page: str, row: str) -> str:
    """Return the page with this row in its place, instead of an older one of the same pair."""
    head, rest = page.split(BEGIN)
    body, tail = rest.split(END)
    lines = body.splitlines(keepends=True)
    rows = {pair_of(line): line for line in lines[2:]} | {pair_of(row): row}
    return "".join([head, BEGIN, *lines[:2], *(rows[key] for key in sorted(rows)), END, tail])


def with_not_run(page: str) -> str:
    """Return the page with the pairs of a torch and a Python of the table that have no row."""
    head, rest = page.split(NOT_RUN)
    tail = rest.split(END_NOT_RUN)[1]
    rows = page.split(BEGIN)[1].split(END)[0].splitlines()[2:]
    run = {(torch[:2], python[:2]) for torch, python in map(pair_of, rows)}
    torches = sorted({torch for torch, _ in run if torch})
    lines = [
        f"- Python {dotted(python)} with torch {', '.join(map(dotted, missing))}\n"
        for python in sorted({python for _, python in run})
        if (missing := [torch for torch in torches if (torch, python) not in run])
    ]
    return "".join([head, NOT_RUN, *(lines or ["- none\n"]), END_NOT_RUN, tail])


def dotted(version: tuple[int, ...]) -> str:
    """Return a version as people write it."""
    return ".".join(map(str, version))


def with_tested(source: str, page: str) -> str:
    """Return the source with its line of versions as the page's rows without a failure have it."""
    rows = page.split(BEGIN)[1].split(END)[0].splitlines()[2:]
    failed = 1 + COLUMNS.index("failed")
    green = [pair_of(row)[0] for row in rows if row.split("|")[failed].strip() == "0"]
    versions = dict.fromkeys(f'"{torch[0]}.{torch[1]}"' for torch in green if torch)
    comma = "," * (len(versions) == 1)
    return re.sub(r"^TESTED = .*$", f"TESTED = ({', '.join(versions)}{comma})", source, flags=re.M)


def pair_of(row: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the torch and the Python of a row, in the order of the table."""
    torch, python = (tuple(map(int, re.findall(r"\d+", cell))) for cell in row.split("|")[1:3])
    return torch, python


if __name__ == "__main__":
    sys.exit(main())
