"""The nearest settings file is found, and the command line goes over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zerograd.errors import SettingsError
from zerograd.settings import Knowledge, Settings, excluded, load_settings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_file_the_defaults_hold(project: Path) -> None:
    assert load_settings(project) == Settings(folder=project)


def test_pyproject_is_found_upwards_from_a_folder(project: Path) -> None:
    file = project / "pyproject.toml"
    file.write_text("[tool.zerograd]\nhints = true\n")
    inner = project / "src" / "package"
    inner.mkdir(parents=True)

    settings = load_settings(inner)

    assert (settings.hints, settings.file, settings.folder) == (True, file, project)


def test_the_nearest_file_is_the_only_one_read(project: Path) -> None:
    (project / "zerograd.toml").write_text("hints = true\n")
    inner = project / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text("[tool.zerograd]\npreview = true\n")

    settings = load_settings(inner)

    assert (settings.hints, settings.preview) == (False, True)


def test_zerograd_toml_wins_over_pyproject_in_the_same_folder(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.zerograd]\nhints = true\n")
    (project / "zerograd.toml").write_text("preview = true\n")

    settings = load_settings(project)

    assert (settings.hints, settings.preview) == (False, True)


@pytest.mark.parametrize(
    "text",
    ["[tool.ruff]\nline-length = 100\n", "[project]\nname = 'zerograd-demo'\n", "broken = [\n"],
)
def test_a_pyproject_that_does_not_configure_zerograd_is_passed_over(
    project: Path, text: str
) -> None:
    (project / "zerograd.toml").write_text("hints = true\n")
    inner = project / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text(text)

    settings = load_settings(inner)

    assert settings.file == project / "zerograd.toml"


def test_every_key_is_read_from_a_file(project: Path) -> None:
    (project / "zerograd.toml").write_text(
        """
        select = ["ZG1", "spent-twice"]
        extend-select = ["zg702"]
        ignore = ["Missing-Zero"]
        exclude = ["third_party"]
        extend-exclude = ["data/*.py"]
        force-exclude = true
        respect-gitignore = false
        hints = true
        preview = true
        fix = true
        unsafe-fixes = true
        format = "sarif"
        baseline = "known.json"
        project-root = ".."
        [per-file-ignores]
        "tests" = ["ZG2"]
        [knowledge]
        clears = ["mylib.zero_all"]
        repeated = ["train_one"]
        """
    )

    settings = load_settings(project)

    assert settings == Settings(
        select=("ZG1", "ZG302"),
        extend_select=("ZG702",),
        ignore=("ZG101",),
        exclude=("third_party",),
        extend_exclude=("data/*.py",),
        force_exclude=True,
        respect_gitignore=False,
        hints=True,
        preview=True,
        fix=True,
        unsafe_fixes=True,
        format="sarif",
        baseline=project / "known.json",
        project_root=project / "..",
        per_file_ignores=(("tests", ("ZG2",)),),
        knowledge=Knowledge(clears=("mylib.zero_all",), repeated=("train_one",)),
        folder=project,
        file=project / "zerograd.toml",
    )


def test_isolated_reads_no_file(project: Path) -> None:
    (project / "zerograd.toml").write_text("hints = true\n")

    assert load_settings(project, isolated=True) == Settings()


def test_config_names_the_file(project: Path) -> None:
    (project / "zerograd.toml").write_text("hints = true\n")
    (project / "strict.toml").write_text("preview = true\n")

    settings = load_settings(project, config=project / "strict.toml")

    assert (settings.hints, settings.preview) == (False, True)


def test_config_may_name_a_pyproject_and_needs_its_table(project: Path) -> None:
    file = project / "pyproject.toml"
    file.write_text("[tool.ruff]\n")

    with pytest.raises(SettingsError) as refusal:
        load_settings(project, config=file)

    assert str(refusal.value) == (
        "pyproject.toml has no [tool.zerograd] table; add one, or name another file"
    )


def test_the_command_line_goes_over_the_file(project: Path) -> None:
    (project / "zerograd.toml").write_text('hints = true\nformat = "json"\npreview = true\n')
    given = {"hints": False, "format": "github", "preview": None, "extend-exclude": ()}

    settings = load_settings(project, command_line=given)

    assert (settings.hints, settings.format, settings.preview) == (False, "github", True)


def test_select_on_the_command_line_takes_the_place_of_the_files(project: Path) -> None:
    (project / "zerograd.toml").write_text('select = ["ZG1"]\nextend-select = ["ZG702"]\n')

    settings = load_settings(project, command_line={"select": ("ZG4",)})

    assert (settings.select, settings.extend_select) == (("ZG4",), ())


def test_the_files_ignores_stay_but_for_those_that_the_command_line_selects(project: Path) -> None:
    (project / "zerograd.toml").write_text('ignore = ["ZG101", "ZG102"]\n')
    given = {"select": ("missing-zero",), "ignore": ("ZG103",)}

    settings = load_settings(project, command_line=given)

    assert settings.ignore == ("ZG102", "ZG103")


def test_extensions_on_the_command_line_add_to_the_files(project: Path) -> None:
    (project / "zerograd.toml").write_text('extend-select = ["ZG702"]\nextend-exclude = ["a"]\n')
    given = {"extend-select": ("ZG701",), "extend-exclude": ("b",)}

    settings = load_settings(project, command_line=given)

    assert settings.extend_select == ("ZG702", "ZG701")
    assert settings.extend_exclude == ("a", "b")


def test_a_path_on_the_command_line_counts_from_the_working_directory(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "zerograd.toml").write_text('baseline = "known.json"\n')
    inner = project / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)

    settings = load_settings(inner, command_line={"baseline": "mine.json"})

    assert settings.baseline == inner / "mine.json"


def test_a_pattern_may_begin_with_a_dot_and_counts_from_the_folder(project: Path) -> None:
    (project / "zerograd.toml").write_text('exclude = ["./third_party"]')

    settings = load_settings(project)

    assert excluded(project / "third_party/a.py", settings)
    assert not excluded(project / "pkg/third_party/a.py", settings)
