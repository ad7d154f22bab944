"""Programs that watch had never seen: the right ones are silent, the planted faults are found.

They were written before anybody read what watch judges by; docs/found-by-watch.md has the figures
of the first run. Each expectation is a comment on its line, as in tests/scripts.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from script_expectations import read_expectations
from script_runs import run_script

PROGRAMS = sorted((Path(__file__).parent / "programs").rglob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_an_unseen_program_gets_exactly_the_findings_that_it_deserves(
    program: Path, tmp_path: Path
) -> None:
    run = run_script(program, tmp_path, watched=True)

    loud = {(found.code, found.line) for found in run.findings if found.severity != "hint"}
    assert run.internal_error is None
    assert run.state["status"] == 0
    assert loud == {(expected.code, expected.line) for expected in read_expectations(program)}
