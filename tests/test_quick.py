"""What `make quick` chooses: the tests of what has changed, or a core."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from quick import CORE, ROOT, SLOW, TESTS_OF, changed_files, chosen_for, pytest_arguments

if TYPE_CHECKING:
    from pathlib import Path


def git(folder: Path, *command: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", folder, *identity, *command], check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one commit on main."""
    git(tmp_path, "init", "--initial-branch", "main")
    (tmp_path / "kept.py").write_text("")
    (tmp_path / "other.py").write_text("")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "all")
    return tmp_path


def test_a_package_is_tried_with_the_tests_of_its_line() -> None:
    assert chosen_for(["src/zerograd/history/series.py"]) == [
        "tests/history",
        "tests/watch/test_recording.py",
    ]


def test_the_first_line_that_fits_counts() -> None:
    assert chosen_for(["src/zerograd/engine/ranks/shards.py"]) == [
        "tests/engine/ranks/test_rank_decisions.py"
    ]


def test_a_test_that_has_changed_is_run_itself() -> None:
    assert chosen_for(["tests/history/test_course.py"]) == ["tests/history/test_course.py"]


def test_a_test_that_is_gone_makes_its_folder_run() -> None:
    assert chosen_for(["tests/history/test_gone.py"]) == ["tests/history"]


def test_what_tests_import_makes_their_folder_run() -> None:
    assert chosen_for(["tests/reports/report_samples.py"]) == ["tests/reports"]


def test_a_test_inside_a_chosen_folder_is_not_named_twice() -> None:
    changed = ["src/zerograd/history/series.py", "tests/history/test_course.py"]

    assert chosen_for(changed) == ["tests/history", "tests/watch/test_recording.py"]


@pytest.mark.parametrize("changed", [[], ["LICENSE"], ["tests/scripts/README.md"]])
def test_what_has_no_tests_makes_the_core_run(changed: list[str]) -> None:
    assert chosen_for(changed) == sorted(CORE)


def test_slow_tests_are_left_out() -> None:
    assert f"--ignore={SLOW[0]}" in pytest_arguments(["src/zerograd/lifecycle/parameter_groups.py"])


def test_a_slow_test_that_has_changed_is_not_left_out() -> None:
    assert f"--ignore={SLOW[0]}" not in pytest_arguments([SLOW[0]])


def test_every_line_of_the_table_names_what_is_there() -> None:
    named = {test for tests in TESTS_OF.values() for test in tests} | {*TESTS_OF, *CORE, *SLOW}

    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_every_package_has_its_line() -> None:
    packages = {f"src/zerograd/{path.parent.name}/" for path in ROOT.glob("src/zerograd/*/*.py")}

    assert packages <= TESTS_OF.keys()


def test_changes_are_what_a_branch_has_and_what_git_does_not_know(project: Path) -> None:
    git(project, "checkout", "-b", "work")
    (project / "committed.py").write_text("")
    git(project, "add", ".")
    git(project, "commit", "-m", "more")
    (project / "kept.py").write_text("x = 1\n")
    (project / "new.py").write_text("")

    assert changed_files(project) == ["committed.py", "kept.py", "new.py"]


def test_a_clean_tree_has_no_changes(project: Path) -> None:
    assert changed_files(project) == []


def test_where_there_is_no_repository_nothing_has_changed(tmp_path: Path) -> None:
    assert changed_files(tmp_path) == []
