"""The project around the files: the settings' folder, the repository, or the files' own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.lint.program.import_lines import MOST_MET_AT_HOME, files_below
from zerograd.lint.shell.files.root import project_root, settings_start
from zerograd.settings import Settings

if TYPE_CHECKING:
    import pytest

pytest_plugins = ["lint_project"]


def test_it_is_the_folder_that_is_set(here: Path) -> None:
    assert project_root([Path("a.py")], Settings(project_root=here / "src")).folder == here / "src"


def test_it_is_the_folder_of_the_settings_file(here: Path) -> None:
    settings = Settings(folder=here.parent, file=here.parent / "pyproject.toml")

    assert project_root([Path("a.py")], settings).folder == here.parent


def test_it_is_the_repository(repository: Path) -> None:
    Path("pkg").mkdir()

    assert project_root([Path("pkg/a.py")], Settings()).folder == repository


def test_without_a_repository_it_is_where_the_package_is_imported_from(here: Path) -> None:
    Path("src/pkg/sub").mkdir(parents=True)
    Path("src/pkg/__init__.py").touch()
    Path("src/pkg/sub/__init__.py").touch()

    assert project_root([Path("src/pkg/sub/a.py")], Settings()).folder == here / "src"


def test_of_several_files_it_is_what_they_share(here: Path) -> None:
    Path("a/b").mkdir(parents=True)

    assert project_root([Path("a/b/x.py"), Path("a/y.py")], Settings()).folder == here / "a"


def test_settings_in_the_home_folder_make_no_project_of_it(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(here))
    Path("project").mkdir()
    settings = Settings(folder=here, file=here / "zerograd.toml")

    root = project_root([Path("project/a.py")], settings)

    assert root == (here, (here / "project", here))


def test_of_the_home_folder_only_what_is_near_its_top_is_looked_through(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("many").mkdir()
    Path("near.py").touch()
    Path("project/package").mkdir(parents=True)
    Path("project/package/deep.py").touch()
    for number in range(MOST_MET_AT_HOME):
        (here / "many" / str(number)).touch()

    elsewhere = list(files_below(here))
    monkeypatch.setenv("HOME", str(here / "project"))
    at_home = list(files_below(here))
    beside = list(files_below(here / "project"))

    assert elsewhere == ["near.py", "project/package/deep.py"]
    assert at_home == ["near.py"]
    assert beside == ["project/package/deep.py"]


def test_settings_are_looked_for_here_unless_the_files_are_elsewhere(
    here: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    Path("sub").mkdir()

    assert settings_start([Path("sub/a.py")]) == here
    assert settings_start([other / "a.py"]) == other
