"""Programs that watch had never seen: the right ones are silent, the planted faults are found.

They were written before anybody read what watch judges by; docs/found-by-watch.md has the figures
of the first runs. Each expectation is a comment on its line, as in tests/scripts.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from rank_programs import run_ranks
from script_expectations import read_expectations
from script_runs import watch_scripts

from zerograd.severity import Severity

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = sorted(path for kind in ("broken", "correct") for path in FOLDER.glob(f"**/{kind}/*.py"))
RAISING = sorted(FOLDER.glob("fourth/raising/*.py"))
RANKS = sorted(FOLDER.glob("third/ranks/*.py"))

thorough = pytest.mark.skipif(
    "ZEROGRAD_ROBUSTNESS" not in os.environ, reason="`make robustness`: the other 400 programs"
)

STRETCHES = 32
"""The programs of all sets are run by so many processes, each one after the other."""

ALWAYS = 2
"""So many stretches are run by `make test` too."""


@pytest.mark.parametrize(
    "first",
    [pytest.param(first, marks=thorough if first >= ALWAYS else ()) for first in range(STRETCHES)],
)
def test_unseen_programs_get_exactly_the_findings_that_they_deserve(
    first: int, tmp_path: Path
) -> None:
    assert_all_deserved(PROGRAMS[first::STRETCHES], tmp_path)


@thorough
def test_programs_of_the_fourth_set_that_raise_get_what_they_deserve(tmp_path: Path) -> None:
    runs = watch_scripts(RAISING, tmp_path)

    assert [
        {(found.code, found.line) for found in run.findings if found.severity != "hint"}
        for run in runs
    ] == [
        {(expected.code, expected.line) for expected in read_expectations(program)}
        for program in RAISING
    ]


@thorough
@pytest.mark.parametrize("program", RANKS, ids=lambda program: program.stem)
def test_ranks_of_the_third_set_get_what_they_deserve(program: Path, tmp_path: Path) -> None:
    ended = run_ranks(program, tmp_path / "run", watched=True)

    found = ended.results.findings
    assert ended.status == 0
    assert {
        (one.rule.code, one.location.line) for one in found if one.severity is not Severity.HINT
    } == {(expected.code, expected.line) for expected in read_expectations(program)}


def assert_all_deserved(programs: list[Path], folder: Path) -> None:
    """Watch programs, and compare what was found with their comments."""
    runs = watch_scripts(programs, folder)

    assert {
        f"{program.parent.name}/{program.name}": (
            run.internal_error,
            run.state.get("status"),
            {(found.code, found.line) for found in run.findings if found.severity != "hint"},
        )
        for program, run in zip(programs, runs, strict=True)
    } == {
        f"{program.parent.name}/{program.name}": (
            None,
            0,
            {(expected.code, expected.line) for expected in read_expectations(program)},
        )
        for program in programs
    }
