"""A repository's configuration runs no program when lint looks for what is ignored, nor stops it.

Each way to have git run a program is tried twice: lint must not run it, and git does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from zerograd.lint.shell.files.find import find_files
from zerograd.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

COMMAND = str(Path(sys.executable).with_name("zerograd"))
LISTING = ("git", "ls-files", "--others", "--ignored", "--exclude-standard", "--directory")


class Trap(NamedTuple):
    """A program that a repository names."""

    git: tuple[str, ...] = LISTING
    """The command of git that runs it."""

    environment: tuple[tuple[str, str], ...] = ()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with one source that is the working directory, away from the user's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    git("init", "--quiet")
    Path("train.py").write_text("loss.backward()\n")
    program = Path("program")
    program.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'was-run'}'\nexit 1\n")
    program.chmod(0o755)
    return tmp_path


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


def configure(key: str, value: str) -> None:
    git("config", key, value)


def monitor(here: Path) -> Trap:
    configure("core.fsmonitor", str(here / "program"))
    return Trap()


def hook(here: Path) -> Trap:
    configure("core.hooksPath", "hooks")
    Path("hooks").mkdir()
    Path("program").rename("hooks/post-index-change")
    return Trap(("git", "add", "train.py"))


def clean_filter(here: Path) -> Trap:
    Path(".gitattributes").write_text("*.py filter=evil\n")
    configure("filter.evil.clean", str(here / "program"))
    return Trap(("git", "add", "train.py"))


def text_conversion(here: Path) -> Trap:
    Path(".gitattributes").write_text("*.py diff=evil\n")
    git("add", "train.py")
    configure("diff.evil.textconv", str(here / "program"))
    return Trap(("git", "diff", "--cached"))


def lazy_fetch(here: Path) -> Trap:
    """Let the index have a .gitignore whose content a remote is to be asked for."""
    Path(".gitignore").write_text("runs/\n")
    git("add", ".gitignore")
    git("update-index", "--skip-worktree", ".gitignore")
    Path(".gitignore").unlink()
    subprocess.run("rm -r .git/objects/??", shell=True, check=True)
    configure("core.repositoryFormatVersion", "1")
    configure("extensions.partialClone", "origin")
    configure("remote.origin.promisor", "true")
    configure("remote.origin.url", str(here))
    configure("remote.origin.uploadpack", str(here / "program"))
    return Trap()


def embedded_bare_repository(here: Path) -> Trap:
    """Let a folder be a bare repository, which a clone brings along as it brings any folder."""
    lazy_fetch(here)
    configure("core.worktree", ".")
    Path(".git").rename("data")
    Path("data/train.py").write_text("loss.backward()\n")
    return Trap(("git", "-C", "data", *LISTING[1:]))


def included_file(here: Path) -> Trap:
    lazy_fetch(here)
    git("config", "--unset", "remote.origin.uploadpack")
    Path("more.cfg").write_text(f'[remote "origin"]\nuploadpack = {here / "program"}\n')
    configure("include.path", "../more.cfg")
    return Trap()


def relative_git_dir(here: Path) -> Trap:
    lazy_fetch(here)
    Path(".git").rename("evil.git")
    return Trap(environment=(("GIT_DIR", "evil.git"), ("GIT_WORK_TREE", ".")))


def git_in_the_working_directory(here: Path) -> Trap:
    Path("program").rename("git")
    return Trap(environment=(("PATH", f".{os.pathsep}{os.environ['PATH']}"),))


TRAPS = [
    monitor,
    hook,
    clean_filter,
    text_conversion,
    lazy_fetch,
    embedded_bare_repository,
    included_file,
    relative_git_dir,
    git_in_the_working_directory,
]
each_trap = pytest.mark.parametrize("set_trap", TRAPS)


@each_trap
def test_lint_runs_no_program_that_a_repository_names(
    here: Path, set_trap: Callable[[Path], Trap], monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = set_trap(here)
    Path("was-run").unlink(missing_ok=True)
    environment = {**os.environ, **dict(trap.environment)}

    for folder in (".", "data"):
        subprocess.run([COMMAND, "lint", folder], env=environment, capture_output=True, check=False)

    assert not Path("was-run").exists()


@each_trap
def test_git_would_have_run_it(here: Path, set_trap: Callable[[Path], Trap]) -> None:
    trap = set_trap(here)
    Path("was-run").unlink(missing_ok=True)
    environment = {**os.environ, **dict(trap.environment)}

    subprocess.run(trap.git, env=environment, capture_output=True, check=False)

    assert Path("was-run").exists()


STARTS = """
import sys
STARTING = "subprocess.Popen os.system os.exec os.posix_spawn os.fork socket.connect".split()
def hear(event, arguments):
    if event in STARTING:
        print(event, arguments[0], file=sys.stderr)
sys.addaudithook(hear)
sys.argv = ["zerograd", *sys.argv[1:]]
from zerograd.__main__ import main
main()
"""


def heard(*arguments: str) -> str:
    """Run a command and return which programs it starts."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", STARTS, *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr


def test_lint_starts_no_program_at_all(here: Path) -> None:
    assert heard("lint", "--quiet", ".") == ""


def test_with_many_files_it_starts_only_python(here: Path) -> None:
    for number in range(30):
        Path(f"train_{number}.py").write_text("loss.backward()\n")

    started = heard("lint", "--quiet", "--jobs", "2", ".")

    assert started == f"subprocess.Popen {sys.executable}\n" * 2


# --- files that a reader would wait for ----------------------------------------------------------


def sources(*folders: str) -> list[str]:
    return list(find_files(map(Path, folders or (".",)), Settings()).files)


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "name",
    [
        ".gitignore",
        "pkg/.gitignore",
        ".git/info/exclude",
        ".git/index",
        "pkg/.git",
        "home/.gitconfig",
        "home/.config/git/config",
        "home/.config/git/ignore",
        "zerograd.toml",
        "pyproject.toml",
    ],
)
def test_no_pipe_is_waited_for(here: Path, name: str) -> None:
    Path("pkg").mkdir()
    Path("pkg/a.py").touch()
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).unlink(missing_ok=True)
    os.mkfifo(name)
    git_ignore_unless_it_is_the_pipe("lib/")
    Path("lib").mkdir()
    Path("lib/b.py").touch()

    done = subprocess.run([COMMAND, "lint", "."], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def git_ignore_unless_it_is_the_pipe(text: str) -> None:
    if not Path(".gitignore").exists():
        Path(".gitignore").write_text(text)


@pytest.mark.timeout(30)
def test_an_excludes_file_that_is_a_pipe_is_not_waited_for(here: Path) -> None:
    os.mkfifo("pipe")
    configure("core.excludesFile", str(here / "pipe"))
    Path("home").mkdir()
    Path("home/.gitconfig").write_text(f"[core]\n\texcludesFile = {here / 'pipe'}\n")

    assert sources() == ["train.py"]


def test_a_gitignore_that_is_a_link_is_not_read(here: Path) -> None:
    Path("secret").write_text("train.py\n")
    Path(".gitignore").symlink_to(here / "secret")

    assert sources() == ["train.py"]


# --- files that a reader would work on for ever --------------------------------------------------


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("*a" * 120 + "b", "a" * 240 + ".py"),
        ("*[ab]" * 120 + "c", "a" * 240 + ".py"),
        ("*?" * 120 + "c", "a" * 240 + ".py"),
        ("**/a/" * 60 + "b", "a/" * 60 + "c.py"),
        (r"**\/a/" * 60 + "b", "a/" * 60 + "c.py"),
        ("/".join(["*a*a*a*a"] * 30) + "/b", "aaaaaaaaaaaaaaaaaaaaaaaaaa/" * 30 + "c.py"),
        ("**/*a*a*a*a/" * 30 + "b", "aaaaaaaaaaaaaaaaaaaaaaaaaa/" * 30 + "c.py"),
    ],
)
def test_no_pattern_takes_long(here: Path, pattern: str, name: str) -> None:
    Path(".gitignore").write_text(f"{pattern}\n")
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).touch()

    assert sources() == [name, "train.py"]


def test_too_many_patterns_are_not_read_and_that_is_said(here: Path) -> None:
    Path(".gitignore").write_text("*a*b\n!*c*d\n" * 2501 + "train.py\n")

    found = find_files([Path()], Settings())

    assert list(found.files) == ["train.py"]
    assert found.notes == [".gitignore brings more than 5,000 patterns together and was not read"]


def test_a_gitignore_of_a_megabyte_is_not_read_and_that_is_said(here: Path) -> None:
    Path(".gitignore").write_text("train.py\n" + "#" * 1_000_000)

    found = find_files([Path()], Settings())

    assert list(found.files) == ["train.py"]
    assert found.notes == [".gitignore is larger than 1 MB and was not read"]
