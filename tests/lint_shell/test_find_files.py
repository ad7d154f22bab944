"""Which files a path means: named ones always, others as `exclude` and git see them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from zerograd.lint.shell.files.find import find_files
from zerograd.settings import Settings

pytest_plugins = ["lint_project"]


def write(*names: str) -> None:
    for name in names:
        file = Path(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x = 1\n")


def found(*paths: str, **settings: object) -> list[str]:
    return list(find_files(map(Path, paths), Settings(**settings)).files)  # type: ignore[arg-type]


def test_a_folder_means_the_sources_below_it_in_order(here: Path) -> None:
    write("b.py", "a/z.py", "a/notes.ipynb", "a/data.txt", "a/stub.pyi")

    assert found(".") == ["a/notes.ipynb", "a/z.py", "b.py"]


def test_a_file_is_listed_once_however_often_it_is_meant(here: Path) -> None:
    write("a/x.py")

    assert found("a/x.py", "a", str(here / "a/x.py")) == ["a/x.py"]


def test_plain_names_and_places_may_be_excluded_by_the_ten_thousand(here: Path) -> None:
    write("a/x.py", "a/y.py", "b/x.py", "c.py")
    others = [f"a/{number}.py" for number in range(20_000)] + [f"{n}.py" for n in range(20_000)]

    left = found(".", exclude=(*others, "a/x.py", "c.py"))

    assert left == ["a/y.py", "b/x.py"]


def test_a_file_elsewhere_keeps_its_absolute_path(
    here: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other") / "x.py"
    other.write_text("x = 1\n")

    assert found(str(other)) == [other.as_posix()]


def test_environments_and_caches_are_left_out(here: Path) -> None:
    write("train.py", ".venv/lib/x.py", "node_modules/x.py", "a/__pycache__/x.py")

    assert found(".") == ["train.py"]


@pytest.mark.parametrize("pattern", ["gen", "gen/", "a/gen", "*en", "a/**/old.py"])
def test_a_pattern_leaves_out_a_name_or_a_place(here: Path, pattern: str) -> None:
    write("a/gen/old.py", "a/new.py")

    assert found(".", extend_exclude=(pattern,)) == ["a/new.py"]


def test_a_folder_that_is_named_is_wanted_whatever_it_is_called(here: Path) -> None:
    write("build/x.py")

    assert found(".") == []
    assert found("build") == ["build/x.py"]


def test_a_file_that_is_named_is_wanted_unless_exclusion_is_forced(here: Path) -> None:
    write("build/x.py")

    assert found("build/x.py") == ["build/x.py"]
    assert found("build/x.py", force_exclude=True) == []


def test_what_git_ignores_is_left_out(repository: Path) -> None:
    write("train.py", "runs/copy.py", "pkg/kept.py", "pkg/scratch_1.py", "pkg/kept_anyway.py")
    Path(".gitignore").write_text("runs/\nscratch_*.py\n")
    Path("pkg/.gitignore").write_text("kept_*\n!kept_anyway.py\n")

    assert found(".") == ["pkg/kept.py", "pkg/kept_anyway.py", "train.py"]
    assert "runs/copy.py" in found(".", respect_gitignore=False)


def test_a_file_that_git_tracks_is_not_ignored(repository: Path) -> None:
    write("runs/copy.py", "runs/tracked.py")
    Path(".gitignore").write_text("runs/\n")
    subprocess.run(["git", "add", "--force", "runs/tracked.py"], check=True)

    assert found(".") == ["runs/tracked.py"]


def test_a_repository_inside_has_its_own_ignores(repository: Path) -> None:
    write("sub/kept.py", "sub/scratch.py")
    subprocess.run(["git", "init", "--quiet", "sub"], check=True)
    Path("sub/.gitignore").write_text("scratch.py\n")

    assert found(".") == ["sub/kept.py"]


def test_a_folder_that_git_ignores_is_linted_when_it_is_named(repository: Path) -> None:
    write("runs/copy.py")
    Path(".gitignore").write_text("runs/\n")

    assert found("runs") == ["runs/copy.py"]


def test_links_in_a_circle_come_to_an_end(here: Path) -> None:
    write("a/x.py")
    Path("a/loop").symlink_to(here / "a")
    Path("a/self").symlink_to("self")

    assert found(".") == ["a/x.py"]


def test_a_link_that_leads_nowhere_is_passed_over(here: Path) -> None:
    write("x.py")
    Path(".#x.py").symlink_to("somebody@host.1234")

    assert found(".") == ["x.py"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into every folder")
def test_a_folder_without_permission_is_noted(here: Path) -> None:
    write("x.py", "closed/y.py")
    Path("closed").chmod(0)

    listed = find_files([Path()], Settings())
    Path("closed").chmod(0o755)

    assert list(listed.files) == ["x.py"]
    assert listed.notes == ["cannot look into closed: Permission denied"]
