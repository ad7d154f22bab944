"""Every program of several ranks gets its findings, with its ranks, and runs as if unwatched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from rank_programs import RankRun, has_ranks, run_ranks
from script_expectations import SCRIPTS, Script

EXAMPLES = SCRIPTS.parents[1] / "examples"
PROGRAMS = [
    path
    for path in (*sorted(SCRIPTS.glob("*/*")), *sorted(EXAMPLES.glob("*.py")))
    if (path.suffix == ".py" or (path / "main.py").exists()) and has_ranks(path)
]


ALL = {2: "ranks 0 and 1", 4: "ranks 0 to 3"}


@dataclass(frozen=True, slots=True)
class Runs:
    """One program, run bare and run watched."""

    program: Path
    bare: RankRun
    watched: RankRun


@pytest.fixture(scope="module", params=PROGRAMS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    program: Path = request.param
    folder = tmp_path_factory.mktemp("ranks")
    main = program / "main.py" if program.is_dir() else program
    bare = run_ranks(main, folder / "bare", watched=False)
    return Runs(program, bare, run_ranks(main, folder / "watched", watched=True))


def test_there_are_such_programs() -> None:
    assert len(PROGRAMS) > 40


def test_watch_finds_what_the_ranks_expect(runs: Runs) -> None:
    assert found_in(runs) == expected_of(runs.program)


def test_watching_changes_no_rank(runs: Runs) -> None:
    assert (runs.bare.status, runs.bare.complaints) == (0, runs.watched.complaints)
    assert runs.watched.status == 0
    assert len(runs.bare.updates) == ranks_of(runs.program)
    assert runs.watched.updates == runs.bare.updates
    assert runs.watched.printed == runs.bare.printed
    assert [note for note in runs.watched.results.notes if "bug of ours" in note] == []


def found_in(runs: Runs) -> set[tuple[str, str, int, str]]:
    """Return code, file, line and ranks; hints count in their own rule's folder."""
    return {
        (
            found.rule.code,
            Path(found.location.path).name,
            found.location.line,
            found.process or f"rank {found.rank}",
        )
        for found in runs.watched.results.findings
        if str(found.severity) != "hint" or found.rule.module == runs.program.parent.name
    }


def ranks_of(program: Path) -> int:
    """Return how many ranks a program starts."""
    main = program / "main.py" if program.is_dir() else program
    return 4 if "nprocs=4" in main.read_text() else 2


def expected_of(program: Path) -> set[tuple[str, str, int, str]]:
    """Return what the comments ask of watch: every fault of these programs concerns all ranks."""
    return {
        (expected.code, expected.file.name, expected.line, ALL[ranks_of(program)])
        for expected in Script(program).expectations
        if "watch" in expected.halves
    }
