"""Programs that watch had never seen: the right ones are silent, the planted faults are found.

They were written before anybody read what watch judges by; docs/found-by-watch.md has the figures
of the first runs. Each expectation is a comment on its line, as in tests/scripts.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from script_expectations import read_expectations
from script_runs import watch_scripts

PROGRAMS = sorted((Path(__file__).parent / "programs").rglob("*.py"))

TOGETHER = 8
"""The programs are run by so many processes, each one after the other."""


@pytest.mark.parametrize("first", range(TOGETHER))
def test_unseen_programs_get_exactly_the_findings_that_they_deserve(
    first: int, tmp_path: Path
) -> None:
    programs = PROGRAMS[first::TOGETHER]

    runs = watch_scripts(programs, tmp_path)

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
