"""Examples that need a training library, or that run the tutorial's programs, under watch."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import pytest
from script_expectations import SCRIPTS
from script_runs import run_script

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = SCRIPTS.parents[1] / "examples"
LIBRARIES = {
    "accelerate_loop": "accelerate",
    "lightning_module": "lightning",
    "transformers_trainer": "transformers",
}
"""What each example of a training library needs."""
LINTED_ONLY = {"deepspeed_loop"}
"""DeepSpeed does not install everywhere; test_example_verdicts.py has lint read its loop."""


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_that_clears_by_itself_is_understood(name: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(LIBRARIES[name]) is None:
        pytest.skip(f"needs {LIBRARIES[name]}")

    run = run_script(EXAMPLES / "libraries" / f"{name}.py", tmp_path, watched=True)

    assert run.internal_error is None
    assert run.state["status"] == 0
    assert [found for found in run.findings if found.severity != "hint"] == []


def test_every_example_of_a_library_is_run() -> None:
    found = {path.stem for path in (EXAMPLES / "libraries").glob("*.py")}

    assert found == {*LIBRARIES, *LINTED_ONLY}


def test_two_programs_of_the_lesson_are_wrong_on_purpose(tmp_path: Path) -> None:
    run = run_script(EXAMPLES / "lesson.py", tmp_path, watched=True)

    loud = {(found.code, found.file.name) for found in run.findings if found.severity != "hint"}
    assert run.state["status"] == 0
    assert loud == {
        ("ZG101", "4. What if I forget to clear?"),
        ("ZG102", "5. Where do I clear?"),
    }
