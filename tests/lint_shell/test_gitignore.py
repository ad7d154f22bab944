"""What is ignored is what git ignores: compared with git itself, pattern by pattern."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from zerograd.lint.shell.files.find import find_files
from zerograd.lint.shell.files.git_index import tracked_paths
from zerograd.lint.shell.files.gitignore import Patterns
from zerograd.settings import Settings

pytest_plugins = ["lint_project"]

THOROUGH = 20 if os.environ.get("ZEROGRAD_ROBUSTNESS") else 1

NAMES = ["a", "b", "ab", "ba", "aab", "abb", "a b", "a ", "*", "-", "é", "]", "[", "c", "\\"]
FILES = [
    *("a/b/c", "a/b/ab", "a/ab", "ab/a/c", "ab/x/c", "abx/c", "b/a/b/a", "b/-", "b/é", "b/]"),
    *(f"names/{name}" for name in NAMES),
    *(name for name in NAMES if name not in ("a", "b", "ab")),
]
PIECES = [
    *("a", "b", "ab", "c", "x", "é", " ", "\\ ", "-", "]", "#", "!", "\t", "\r"),
    *("*", "**", "***", "?", "/", "**/", "/**/", "/**", "\\*", "\\a", "\\", "\\/", "**\\/"),
    *("[ab]", "[!a]", "[^b-]", "[a-c]", "[]a]", "[a", "[a-b-]", "[\\]]", "[c-a]", "[--b]", "[!]]"),
    *("[[:alpha:]]", "[![:punct:]]", "[[:space:]b]", "[[:x]", "[[:nothing:]]", "[a-[:digit:]]"),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with files of many names."""
    folder = tmp_path_factory.mktemp("tree")
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def ignored_by_git(tree: Path, lines: str) -> set[str]:
    """Return the files that git ignores with these lines in its .gitignore."""
    (tree / ".gitignore").write_text(lines, newline="")
    command = ["git", "-C", str(tree), "check-ignore", "--no-index", "-z", "--stdin", "-v", "-n"]
    told = subprocess.run(
        command, input="\0".join(FILES), capture_output=True, text=True, check=False
    ).stdout.split("\0")
    # Four fields a file: where its pattern stands, twice; the pattern, if any; the file.
    decided = zip(told[2::4], told[3::4], strict=True)
    return {file for pattern, file in decided if pattern and not pattern.startswith("!")}


def ignored_by_us(lines: str) -> set[str]:
    patterns = Patterns(lines.encode())
    return {file for file in FILES if is_ignored(patterns, Path(file))}


def is_ignored(patterns: Patterns, file: Path) -> bool:
    """Ask as a walk asks: from the top down, until a folder is left out."""
    asked = [*reversed(file.parents[:-1]), file]
    return any(
        patterns.verdict(os.fsencode(path), os.fsencode(path.name), is_folder=path != file)
        for path in asked
    )


lines = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)


@settings(
    max_examples=150 * THOROUGH,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@example(["a/", "!a/b", "a/b/*"])
@example(["\ufeffab"])
@example(["ab**/c", "a**c"])
@example(["# ab", "\\#", "ab \\ ", "ab\\ "])
@given(written=st.lists(lines, min_size=1, max_size=4))
def test_a_pattern_matches_what_git_says_it_matches(tree: Path, written: list[str]) -> None:
    text = "\n".join(written)

    assert ignored_by_us(text) == ignored_by_git(tree, text)


def test_the_comparison_is_about_something(tree: Path) -> None:
    assert len(ignored_by_git(tree, "a*/\n")) == 7


def git(*arguments: str) -> None:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    subprocess.run(command, check=True, capture_output=True)


def write(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("x = 1\n")


def found(*paths: str) -> list[str]:
    return list(find_files(map(Path, paths or (".",)), Settings()).files)


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_what_an_index_of_any_version_tracks_is_not_ignored(repository: Path, version: str) -> None:
    names = [f"lib/models/net_{number}.py" for number in range(30)]
    write(*names, "lib/models/scratch.py", "lib/other.py", "main.py", "lib/notes.md")
    Path(".gitignore").write_text("lib/\n")
    git("add", "--force", "lib/models", "lib/notes.md")
    git("rm", "--cached", "lib/models/scratch.py")
    git("update-index", "--skip-worktree", "lib/models/net_0.py")  # told in version 3 and later
    git("update-index", f"--index-version={version}")

    assert found() == [*sorted(names), "main.py"]


def test_an_index_with_longer_object_names_is_read(here: Path) -> None:
    git("init", "--quiet", "--object-format=sha256")
    write("lib/net.py", "lib/scratch.py")
    Path(".gitignore").write_text("lib/\n")
    git("add", "--force", "lib/net.py")

    assert found() == ["lib/net.py"]


@pytest.mark.parametrize(
    "content", [b"", b"DIRC", b"DIRC\0\0\0\x02\xff\xff\xff\xff", b"\0" * 100, b"DIRC\0\0\0\x09" * 9]
)
def test_what_is_no_index_tracks_nothing(content: bytes) -> None:
    assert tracked_paths(content) == []


def test_a_worktree_has_the_ignores_of_its_repository(repository: Path) -> None:
    write("net.py")
    git("add", "net.py")
    git("commit", "-m", "a")
    git("worktree", "add", "../beside")
    Path(".git/info/exclude").write_text("scratch.py\nnet.py\n")
    write("../beside/scratch.py")

    assert found("../beside") == [(repository.parent / "beside/net.py").as_posix()]


def test_a_submodule_has_its_own_index_and_ignores(repository: Path) -> None:
    write("../other/net.py", "../other/scratch.py")
    git("init", "--quiet", "../other")
    Path("../other/.gitignore").write_text("*.py\n")
    git("-C", "../other", "add", "--force", "net.py", ".gitignore")
    git("-C", "../other", "commit", "-m", "a")
    git("-c", "protocol.file.allow=always", "submodule", "add", "../other", "sub")
    write("sub/scratch.py", "scratch.py")
    Path(".gitignore").write_text("sub/\n")

    assert found() == ["scratch.py", "sub/net.py"]


def test_a_folder_inside_has_the_ignores_of_those_above(repository: Path) -> None:
    write("pkg/inner/scratch.py", "pkg/inner/kept.py", "pkg/inner/gen.py")
    Path(".gitignore").write_text("scratch.py\n/pkg/inner/gen.py\n")

    assert found("pkg/inner") == ["pkg/inner/kept.py"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".config/git/ignore", "scratch.py\n"),
        (".gitconfig", "[user]\n\tname = a\n[core]\n\teditor = vi\n\texcludesFile = ~/mine\n"),
        (".config/git/config", '[Core] ; ours\nexcludesfile="~/mine"\n'),
    ],
)
def test_the_users_own_ignores_count(
    repository: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    home = repository / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    write("scratch.py", "train.py", f"home/{name}")
    (home / name).write_text(text)
    (home / "mine").write_text("scratch.py\n")

    assert found() == ["train.py"]


def test_a_file_that_the_users_ignores_name_by_a_relative_path_is_not_read(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(repository / "config"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(repository / "none"))
    Path("config").write_text("[core]\nexcludesFile = mine\n")
    Path("mine").write_text("train.py\n")
    write("train.py")

    assert found() == ["train.py"]


def test_without_a_repository_nothing_is_ignored(here: Path) -> None:
    write("train.py")
    Path(".gitignore").write_text("*.py\n")

    assert found() == ["train.py"]
