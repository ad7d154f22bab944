"""What watch finds it finds by events: where the source cannot be read, the findings are the same.

The programs are run from a text whose file does not exist, as `exec` or a deleted file leaves them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from script_expectations import SCRIPTS, read_expectations
from script_runs import Found, Run, run_script, watch_scripts

from zerograd.rules import find_rule

PROGRAMS = Path(__file__).parent / "programs"

NEEDS_THE_SOURCE = {
    "window-off-by-one": "only the source shows the test with a modulo that is true at index 0",
    "zero-inside-window": "a program may read `.grad` and keep the sum itself: then it is a hint",
    "never-spent": "a program may read `.grad` and spend it itself: then it is a hint",
}
"""The rules that the source confirms, each with the reason."""

STANDS_ELSEWHERE = {
    "kept-graph": "no event tells which line keeps a loss: it stands on the deposit",
}
"""The rules whose line the source finds."""

BROKEN = sorted((PROGRAMS / "broken").glob("*.py"))
RIGHT = [
    *sorted((PROGRAMS / "correct").glob("*.py"))[::4],
    SCRIPTS / "idioms" / "attack_by_hand.py",
    SCRIPTS / "idioms" / "sums_kept_by_hand.py",
    SCRIPTS / "kept_graph" / "correct_previous_loss.py",
]


TOGETHER = 4
"""The programs are run by so many processes, each one after the other."""


def run_without_source(programs: list[Path], folder: Path) -> list[Run]:
    """Watch programs whose files are not there."""
    return watch_scripts([_launcher(program, folder) for program in programs], folder)


def _launcher(program: Path, folder: Path) -> Path:
    launcher, gone = folder / program.name, str(folder / f"gone_{program.name}")
    launcher.write_text(f"exec(compile({program.read_text()!r}, {gone!r}, 'exec'))\n")
    return launcher


def loud(found: tuple[Found, ...]) -> set[tuple[str, int]]:
    """Return name and line of what is more than a hint."""
    return {placed(one.code, one.line) for one in found if one.severity != "hint"}


def placed(code: str, line: int) -> tuple[str, int]:
    """Return a rule's name and the line, where that does not hang on the source."""
    name = find_rule(code).name
    return name, 0 if name in STANDS_ELSEWHERE else line


def expected(program: Path) -> set[tuple[str, int]]:
    """Return name and line of what events alone must show."""
    all_of_them = {placed(one.code, one.line) for one in read_expectations(program)}
    return {one for one in all_of_them if one[0] not in NEEDS_THE_SOURCE}


@pytest.mark.parametrize("first", range(TOGETHER))
def test_no_finding_needs_the_source_but_those_that_are_listed(first: int, tmp_path: Path) -> None:
    programs = BROKEN[first::TOGETHER]

    runs = run_without_source(programs, tmp_path)

    assert {
        program.stem: (run.internal_error, run.state.get("status"), loud(run.findings))
        for program, run in zip(programs, runs, strict=True)
    } == {program.stem: (None, 0, expected(program)) for program in programs}


@pytest.mark.parametrize("first", range(TOGETHER))
def test_a_right_program_is_silent_without_its_source_too(first: int, tmp_path: Path) -> None:
    programs = RIGHT[first::TOGETHER]

    runs = run_without_source(programs, tmp_path)

    assert {
        program.stem: (run.internal_error, run.state.get("status"), loud(run.findings))
        for program, run in zip(programs, runs, strict=True)
    } == {program.stem: (None, 0, set()) for program in programs}


def test_a_listed_rule_is_found_with_the_source_and_not_without_it(tmp_path: Path) -> None:
    program = PROGRAMS / "broken" / "trainer_class_callbacks.py"

    with_source = run_script(program, tmp_path, watched=True).findings

    assert ("window-off-by-one", 15) in loud(with_source)
    (without,) = run_without_source([program], tmp_path)
    assert loud(without.findings) == set()
