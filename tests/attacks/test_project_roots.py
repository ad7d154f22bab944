"""Lint opens nothing above or beside the paths it was given, unless a project file says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from zerograd.lint.program import import_lines
from zerograd.lint.shell.files.find import find_files
from zerograd.lint.shell.files.root import project_root
from zerograd.settings import Settings, load_settings

OPENED = """
import os, sys
def hear(event, arguments):
    if event in ("open", "os.listdir", "os.scandir"):
        print(os.path.abspath(arguments[0]) if isinstance(arguments[0], str) else "", file=heard)
from zerograd.cli import main
heard = open(sys.argv[1], "w")
sys.addaudithook(hear)
main(["lint", "--jobs", "1", "--format", "concise", *sys.argv[2:]])
heard.flush()
"""

TRAINING = """\
import torch
from {helpers} import zero_all
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(40):
    zero_all(optimizer)
    model(torch.ones(8, 3)).square().mean().backward()
    optimizer.step()
"""

CLEARS_NOTHING = "import torch\n\n\ndef zero_all(optimizer):\n    print(optimizer)\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, text: str = "") -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)


def lint(here: Path, *arguments: str, cwd: str = ".") -> tuple[str, list[str]]:
    """Return what lint prints and which files and folders it opens below this one."""
    heard = here.parent / f"{here.name}.heard"
    command = [sys.executable, "-P", "-c", OPENED, str(heard), *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    opened = [Path(line) for line in heard.read_text().splitlines() if line]
    inside = {path.relative_to(here) for path in opened if path.is_relative_to(here)}
    return done.stdout + done.stderr, sorted(map(str, inside))


def test_the_neighbours_of_a_package_are_not_opened(here: Path) -> None:
    write("pkg/__init__.py")
    write("pkg/train.py", TRAINING.format(helpers="pkg.helpers"))
    write("pkg/helpers.py", CLEARS_NOTHING)
    write("neighbour/train.py", TRAINING.format(helpers="pkg.helpers"))

    told, opened = lint(here, ".", cwd="pkg")

    assert "train.py:7:5: ZG101 missing-zero" in told
    assert [path for path in opened if not path.startswith("pkg")] == []
    assert "pkg/helpers.py" in opened


def test_a_project_file_above_says_that_they_belong_together(here: Path) -> None:
    write("zerograd.toml")
    write("pkg/train.py", TRAINING.format(helpers="neighbour.helpers"))
    write("neighbour/helpers.py", CLEARS_NOTHING)

    told, opened = lint(here, ".", cwd="pkg")

    assert "train.py:7:5: ZG101 missing-zero" in told
    assert "neighbour/helpers.py" in opened


def test_a_package_around_the_given_folder_is_not_opened(here: Path) -> None:
    write("pkg/__init__.py")
    write("pkg/helpers.py", CLEARS_NOTHING)
    write("pkg/inner/__init__.py")
    write("pkg/inner/train.py", TRAINING.format(helpers="pkg.helpers"))

    told, opened = lint(here, "pkg/inner")

    assert "ZG101" not in told  # what `zero_all` does was not looked up
    assert [path for path in opened if not path.startswith("pkg/inner")] == []


def test_what_lies_between_two_paths_is_not_opened(here: Path) -> None:
    write("one/train.py", TRAINING.format(helpers="two.helpers"))
    write("two/helpers.py", CLEARS_NOTHING)
    write("three/helpers.py", CLEARS_NOTHING)

    told, opened = lint(here, "one", "two")

    assert "one/train.py:7:5: ZG101 missing-zero" in told
    assert [path for path in opened if path.startswith("three")] == []
    assert "two/helpers.py" in opened


def test_a_settings_file_that_was_named_is_no_project_file(here: Path) -> None:
    write("home/strict.toml")
    write("home/secret/helpers.py", CLEARS_NOTHING)
    write("home/one/train.py", TRAINING.format(helpers="secret.helpers"))

    told, opened = lint(here, "--config", "home/strict.toml", "home/one")

    assert "ZG101" not in told
    assert [path for path in opened if path.startswith("home/secret")] == []


@pytest.mark.parametrize("name", ["/", "..", "../..", "link"])
def test_settings_cannot_set_a_root_outside_their_project(here: Path, name: str) -> None:
    write("tree/zerograd.toml", f'project-root = "{name}"\n')
    write("tree/train.py", "loss.backward()\n")
    Path("tree/link").symlink_to("/")

    told, _ = lint(here, ".", cwd="tree")

    assert told == (
        f"zerograd: zerograd.toml: project-root leads out of {here / 'tree'}; "
        "name a folder that lies in it\n"
    )


def test_settings_in_a_repository_may_set_its_root(here: Path) -> None:
    subprocess.run(["git", "init", "--quiet"], check=True)
    write("tools/zerograd.toml", 'project-root = ".."\n')

    settings = load_settings(here / "tools")

    assert project_root([Path("tools")], settings).folder == here


# --- strangers' files above ----------------------------------------------------------------------

STRANGER = 12345
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@as_root
@pytest.mark.parametrize(
    ("name", "table"), [("zerograd.toml", ""), ("pyproject.toml", "[tool.zerograd]\n")]
)
def test_a_strangers_settings_above_the_project_do_not_count(
    here: Path, name: str, table: str
) -> None:
    write(f"shared/{name}", f"{table}fix = true\nunsafe-fixes = true\n")
    write("shared/mine/train.py")
    os.chown(f"shared/{name}", STRANGER, STRANGER)

    settings = load_settings(here / "shared/mine")

    assert (settings.file, settings.fix) == (None, False)


@as_root
def test_a_strangers_settings_in_a_folder_that_everybody_may_write_do_not_count(here: Path) -> None:
    write("shared/zerograd.toml", "fix = true\n")
    Path("shared").chmod(0o1777)
    os.chown("shared/zerograd.toml", STRANGER, STRANGER)

    assert load_settings(here / "shared").file is None


@as_root
def test_a_colleagues_settings_in_the_projects_own_folder_count(here: Path) -> None:
    write("shared/zerograd.toml", "hints = true\n")
    Path("shared").chmod(0o775)
    os.chown("shared/zerograd.toml", STRANGER, STRANGER)

    assert load_settings(here / "shared").hints


@as_root
def test_settings_count_that_belong_to_whom_the_project_belongs_to(here: Path) -> None:
    write("shared/zerograd.toml", "hints = true\n")
    write("shared/mine/train.py")
    os.chown("shared/zerograd.toml", STRANGER, STRANGER)
    os.chown("shared/mine", STRANGER, STRANGER)

    settings = load_settings(here / "shared/mine")

    assert settings.hints


@as_root
def test_a_strangers_repository_above_is_not_the_projects(here: Path) -> None:
    write("shared/mine/train.py")
    write("shared/.gitignore", "*\n")
    Path("shared/.git").mkdir()
    os.chown("shared/.git", STRANGER, STRANGER)

    assert list(find_files([Path("shared/mine")], Settings()).files) == ["shared/mine/train.py"]
    assert project_root([Path("shared/mine")], Settings()).folder == here / "shared/mine"


# --- links ---------------------------------------------------------------------------------------


@pytest.mark.timeout(60)
def test_a_linked_folder_that_leads_out_of_the_project_is_not_walked(here: Path) -> None:
    write("tree/train.py")
    Path("tree/disk").symlink_to("/")

    found = find_files([Path("tree")], Settings())

    assert list(found.files) == ["tree/train.py"]
    assert found.notes == [
        "tree/disk leads out of the project and was not followed; name it to lint it"
    ]


def test_a_linked_file_that_leads_out_of_the_project_is_not_read(here: Path) -> None:
    write("secret.py", "password = 'not for the log of a build'  (\n")
    write("tree/train.py")
    Path("tree/a.py").symlink_to(here / "secret.py")
    Path("tree/b.py").symlink_to("../secret.py")
    Path("tree/c.py").symlink_to("a.py")

    told, opened = lint(here, "tree")

    assert "password" not in told
    assert (
        "tree/a.py and 2 other links lead out of the project and were not followed; "
        "name them to lint them"
    ) in told
    assert [path for path in opened if path.endswith(("a.py", "b.py", "c.py"))] == []


def test_an_imported_module_behind_a_link_out_of_the_project_is_not_read(here: Path) -> None:
    write("outside/helpers.py", CLEARS_NOTHING)
    write("outside/package/__init__.py", CLEARS_NOTHING)
    write("tree/train.py", TRAINING.format(helpers="helpers"))
    write("tree/fit.py", TRAINING.format(helpers="package"))
    Path("tree/helpers.py").symlink_to(here / "outside/helpers.py")
    Path("tree/package").symlink_to("../outside/package")

    told, opened = lint(here, "tree")

    assert "ZG101" not in told
    assert [path for path in opened if "helpers" in path or "package" in path] == []


def test_an_imported_module_behind_a_link_within_the_project_is_read(here: Path) -> None:
    write("tree/shared/helpers.py", CLEARS_NOTHING)
    write("tree/train.py", TRAINING.format(helpers="helpers"))
    Path("tree/helpers.py").symlink_to("shared/helpers.py")

    told, opened = lint(here, "tree")

    assert "ZG101" in told
    assert "tree/helpers.py" in opened


def test_a_link_within_the_project_is_followed(here: Path) -> None:
    write("zerograd.toml")
    write("common/net.py")
    write("tree/train.py")
    Path("tree/common").symlink_to("../common")

    found = find_files([Path("tree")], Settings(), opened=[here])

    assert list(found.files) == ["tree/common/net.py", "tree/train.py"]
    assert found.notes == []


def test_a_link_that_was_named_is_followed(here: Path) -> None:
    write("elsewhere/net.py")
    write("elsewhere/deep/net.py")
    Path("tree").mkdir()
    Path("tree/link").symlink_to(here / "elsewhere")
    Path("tree/net.py").symlink_to(here / "elsewhere/net.py")

    found = find_files([Path("tree/link"), Path("tree/net.py")], Settings())

    assert list(found.files) == ["tree/link/deep/net.py", "tree/link/net.py", "tree/net.py"]
    assert found.notes == []


def test_callers_are_looked_for_in_the_nearest_files_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("another/deep", "beside"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "caller.py").write_text("from train import step\nloss.backward()\n")
    monkeypatch.setattr(import_lines, "MOST_INDEXED", 1)

    found = import_lines.imports_under([tmp_path], dull=())

    assert {path for path, _ in found["train"]} == {str(tmp_path / "beside/caller.py")}


def test_without_the_limit_callers_are_found_at_any_depth(tmp_path: Path) -> None:
    (tmp_path / "another/deep").mkdir(parents=True)
    (tmp_path / "another/deep/caller.py").write_text("from train import step\nloss.backward()\n")

    found = import_lines.imports_under([tmp_path], dull=())

    assert {path for path, _ in found["train"]} == {str(tmp_path / "another/deep/caller.py")}
