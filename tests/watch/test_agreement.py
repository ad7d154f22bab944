"""Every script gets the findings that its comments ask for, and runs as if nobody watched.

Whoever changes what a fault is sees here, by name, which programs it touches.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from rank_programs import has_ranks
from script_expectations import FRAMEWORKS, SCRIPTS, Script
from script_runs import run_script

from zerograd.rules import find_rule

if TYPE_CHECKING:
    from pathlib import Path

    from script_runs import Run

EXAMPLES = SCRIPTS.parents[1] / "examples"
# Examples in test_other_examples.py: they need libraries, or run programs that are not theirs.
OTHERS = {"libraries", "lesson.py", "elastic.py"}
# Its threads take turns as they like, watched or not: no two runs sum in the same order.
RACING = {"a3c_threads": {"tensors", "updates", "torch generator"}}
PRAGMAS = {"unused_ignore", "unknown_ignore"}
PACKAGES = {
    "accelerate": "accelerate",
    "fabric": "lightning",
    "ignite": "ignite",
    "lightning": "lightning",
    "transformers": "transformers",
}


def programs() -> list[Path]:
    """Return every script of one process that can be run: notebooks are only linted."""
    folders = [folder for folder in sorted(SCRIPTS.iterdir()) if folder.is_dir()]
    found = [path for folder in folders for path in sorted(folder.iterdir())]
    runnable = [path for path in found if path.suffix == ".py" or (path / "main.py").exists()]
    alone = [path for path in runnable if not has_ranks(path)]
    examples = [path for path in sorted(EXAMPLES.rglob("*.py")) if not has_ranks(path)]
    return [*alone, *(path for path in examples if not OTHERS & {path.name, path.parent.name})]


@dataclass(frozen=True, slots=True)
class Runs:
    """One program, run bare and run watched."""

    program: Path
    bare: Run
    watched: Run


@pytest.fixture(scope="module", params=programs(), ids=lambda p: f"{p.parent.name}/{p.stem}")
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    program: Path = request.param
    needs_installed(program)
    folder = tmp_path_factory.mktemp("run")
    main = program / "main.py" if program.is_dir() else program
    return Runs(
        program,
        run_script(main, folder, watched=False),
        run_script(main, folder, watched=True),
    )


def needs_installed(program: Path) -> None:
    """Skip a framework's script where the framework is not there."""
    if program.parent != FRAMEWORKS:
        return
    name = next(package for word, package in PACKAGES.items() if word in program.stem)
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"needs {name}: pip install -c constraints.txt --group frameworks")


def test_watch_finds_what_the_script_expects(runs: Runs) -> None:
    if runs.program.parent.name in PRAGMAS:
        pytest.skip("pragmas are read where findings are reported, not in the core")
    expected = expected_of(runs.program)
    untold = sorted(runs.watched.untold & {find_rule(code).name for code, *_ in expected})
    if untold:
        pytest.skip(f"{', '.join(untold)} needs a newer torch")

    assert found_in(runs) == expected


def test_watching_changes_nothing_and_leaves_nothing(runs: Runs) -> None:
    differs = RACING.get(runs.program.stem, set())

    assert runs.watched.internal_error is None
    assert without(runs.watched.state, differs) == without(runs.bare.state, differs)
    # Dynamo patches `Module.__init__` by itself.
    assert runs.watched.patched == runs.bare.patched


def without(state: dict[str, object], differs: set[str]) -> dict[str, object]:
    """Return a run's state but for what differs from run to run."""
    return {name: value for name, value in state.items() if name not in differs}


def found_in(runs: Runs) -> set[tuple[str, str, int]]:
    """Return code, file and line of what was found; hints count in their own rule's folder."""
    return {
        (found.code, found.file.name, found.line)
        for found in runs.watched.findings
        if found.severity != "hint" or find_rule(found.code).module == runs.program.parent.name
    }


def expected_of(program: Path) -> set[tuple[str, str, int]]:
    """Return code, file and line of what the comments ask of watch."""
    return {
        (expected.code, expected.file.name, expected.line)
        for expected in Script(program).expectations
        if "watch" in expected.halves
    }
