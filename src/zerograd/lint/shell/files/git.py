"""What git ignores, read from the files in which it says so; git itself is never run.

git runs programs that a repository names: `core.fsmonitor`, a promisor remote's `uploadpack`, what
a bare repository in a subfolder says in its own configuration; the list grows with git. It waits
for a .gitignore that is a pipe, and on Windows `git` may be a program in the working directory.
All of this could be forbidden one by one, as far as it is known; to read is safe by construction,
and costs at most a tenth of a second more on 50,000 files (docs/reference/settings.md has figures).

Read are .gitignore files, `.git/info/exclude`, the index (see `git_index`), and the user's own
`core.excludesFile`. A repository's configuration is not.
"""

from __future__ import annotations

import os
import re
from functools import cached_property, lru_cache
from pathlib import PurePath
from typing import TYPE_CHECKING

from zerograd.bounded_read import read_regular
from zerograd.lint.shell.files.git_index import tracked_paths
from zerograd.lint.shell.files.gitignore import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGE_FILE = 1_000_000
"""Bytes of a file of patterns; a larger one is none."""

LARGE_INDEX = 100_000_000
"""Bytes of an index: of about a million files."""

MOST_PATTERNS = 5_000
"""Patterns in force in one folder; each is tried on every file there."""

EXCLUDES_FILE = re.compile(
    r"""(?mix)^[ \t]*+\[core\][^\[]*? ^[ \t]*+excludesfile[ \t]*+=[ \t]*+"?([^"\n#;]*[^"\s#;])"""
)
"""Where a person's git configuration names a file of patterns."""


class Ignored:
    """What is ignored in one folder: its own patterns, then those of the folders above."""

    def __init__(
        self,
        folder: str,
        patterns: Patterns,
        repository: Repository,
        above: Ignored | None = None,
    ) -> None:
        self.start = len(as_git(folder).rstrip(b"/")) + 1
        """How much of a path is not below the folder."""

        self.patterns = patterns
        self.repository = repository
        self.above = above
        self.count: int = patterns.count + (above.count if above else 0)
        self.is_whole = False
        """Whether the folder is ignored itself, and is looked into for its tracked files."""

    def covers(self, path: str, name: str, *, is_folder: bool) -> bool:
        """Tell whether to leave out a file, or a folder that holds no tracked ones."""
        place = as_git(path)
        if not (self.is_whole or self._matches(place, as_git(name), is_folder=is_folder)):
            return False
        return not self.repository.tracks(place)

    def _matches(self, path: bytes, name: bytes, *, is_folder: bool) -> bool:
        node: Ignored | None = self
        while node:
            verdict = node.patterns.verdict(path[node.start :], name, is_folder=is_folder)
            if verdict is not None:
                return verdict
            node = node.above
        return False

    def inside(self, folder: str, name: str) -> Ignored:
        """Return what is ignored in a folder in this one."""
        if self.is_whole:
            return self
        if self._matches(as_git(folder), as_git(name), is_folder=True):
            return self._all_of(folder)
        return self.with_file(folder)

    def with_file(self, folder: str) -> Ignored:
        """Return what is ignored in a folder whose own .gitignore was not read yet."""
        # A link is none to git either.
        file = f"{folder}/.gitignore"
        found = self.repository.read(file, follow=False)
        if self.count + found.count > MOST_PATTERNS:
            self.repository.note(file, f"brings more than {MOST_PATTERNS:,} patterns together")
            return self
        return self.with_patterns(folder, found)

    def with_patterns(self, folder: str, found: Patterns) -> Ignored:
        """Return what is ignored with more patterns, which go before those there are."""
        return Ignored(folder, found, self.repository, self) if found.count else self

    def _all_of(self, folder: str) -> Ignored:
        everything = Ignored(folder, compiled(b""), self.repository)
        everything.is_whole = True
        return everything


class Repository:
    """The files of one repository that say what it ignores and what it tracks."""

    def __init__(self, root: str, notes: list[str], suffixes: tuple[str, ...]) -> None:
        self.root = root
        self.notes = notes
        self.suffixes = tuple(map(os.fsencode, suffixes))
        """How the names of the files end that anybody asks about."""

        self.folder = self.common = f"{root}/.git"
        if os.path.isfile(self.folder):  # noqa: PTH113  of a worktree or a submodule
            self._follow_file()

    def _follow_file(self) -> None:
        told = os.fsdecode(content_of(self.folder) or b"").removeprefix("gitdir:").strip()
        self.folder = self.common = os.path.join(self.root, told)  # noqa: PTH118
        shared = os.fsdecode(content_of(f"{self.folder}/commondir") or b"").strip()
        if shared:
            self.common = os.path.join(self.folder, shared)  # noqa: PTH118

    def ignored(self, top: str) -> Ignored:
        """Return what is ignored in one of its folders, whatever is said about that folder."""
        ignored = Ignored(self.root, self.read(users_file()), self)
        ignored = ignored.with_patterns(self.root, self.read(f"{self.common}/info/exclude"))
        ignored = ignored.with_file(self.root)
        folder = self.root
        for name in PurePath(os.path.relpath(top, self.root)).parts:
            folder = f"{folder}/{name}"
            ignored = ignored.with_file(folder)
        return ignored

    def read(self, path: str, *, follow: bool = True) -> Patterns:
        """Return the patterns in a file; none where there is no such file."""
        content = content_of(path, follow=follow) or b""
        if len(content) > LARGE_FILE:
            self.note(path, "is larger than 1 MB")
            return compiled(b"")
        return compiled(content)

    def note(self, path: str, why: str) -> None:
        """Say that a file of patterns counts for nothing."""
        from zerograd.lint.program.display_paths import shown

        self.notes.append(f"{shown(path)} {why} and was not read")

    def tracks(self, path: bytes) -> bool:
        """Tell whether git tracks a file, or one in a folder."""
        return path[len(as_git(self.root).rstrip(b"/")) + 1 :] in self._tracked

    @cached_property
    def _tracked(self) -> set[bytes]:
        """Tracked sources and submodules, and the folders around them; read when first needed."""
        content = content_of(f"{self.folder}/index", most=LARGE_INDEX) or b""
        wanted = (*self.suffixes, b"/")
        found = {path.rstrip(b"/") for path in tracked_paths(content) if path.endswith(wanted)}
        for path in tuple(found):
            while (path := path.rpartition(b"/")[0]) and path not in found:
                found.add(path)
        return found


@lru_cache(maxsize=256)
def compiled(content: bytes) -> Patterns:
    """Return the patterns of a file; in a large tree many files say the same."""
    return Patterns(content)


def as_git(path: str) -> bytes:
    """Return a path as git has it: bytes, with `/`."""
    return os.fsencode(path if os.sep == "/" else path.replace(os.sep, "/"))


def content_of(path: str, *, most: int = LARGE_FILE, follow: bool = True) -> bytes | None:
    """Return what is in a file, one byte more than `most` if there is more; None if it is no file.

    Without `follow` a link is none.
    """
    try:
        # At every folder of a tree.
        return None if not follow and os.path.islink(path) else read_regular(path, most)  # noqa: PTH114
    except (OSError, ValueError):
        return None


def users_file() -> str:
    """Return the file of patterns that holds in all of a person's repositories."""
    home = os.path.expanduser("~")  # noqa: PTH111
    folder = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    named = [f"{folder}/git/ignore"]
    for configuration in _configurations(folder, home):
        told = os.fsdecode(content_of(configuration) or b"")
        named += [os.path.expanduser(path) for path in EXCLUDES_FILE.findall(told)]  # noqa: PTH111
    # One that counts from the working directory would be whatever is there.
    return next(path for path in (*reversed(named), os.devnull) if os.path.isabs(path))  # noqa: PTH117


def _configurations(folder: str, home: str) -> Iterator[str]:
    given = os.environ.get("GIT_CONFIG_GLOBAL")
    yield from (given,) if given is not None else (f"{folder}/git/config", f"{home}/.gitconfig")
