"""Who imports whom: the import lines of a project's files, read without parsing them."""

from __future__ import annotations

import os
import re
from collections import deque
from itertools import islice
from math import inf
from sys import intern
from time import perf_counter
from typing import TYPE_CHECKING

from zerograd.bounded_read import read_regular
from zerograd.lint.program.display_paths import shown
from zerograd.lint.program.prefilter import may_run_candidates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

Imports = dict[str, list[tuple[str, str]]]
"""A module's last name -> the files that import something of that name, and how."""

LARGE_FILE = 1_000_000

MOST_INDEXED = 20_000
"""Files whose import lines are read: a script may lie in a folder that holds a hundred projects."""

RARELY = 20
"""Times what a walk took, until the next."""

MOST_MET = 500_000
"""Names of files and folders that are listed to find them."""

MOST_MET_AT_HOME = 2_000
"""The same in the home folder, and in a folder around it: what is in there is no one project."""

# Compiled when first used, and kept by `re`: a file alone is imported by nobody.
FROM = rb"(?m)^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*+\)?|[^\n#]*)"
IMPORT = rb"(?m)^[ \t]*import[ \t]+([^\n#]*)"
DOTTED = rb"[A-Za-z_][\w.]*"
WORD = rb"[A-Za-z_]\w*"

INSTALLED = frozenset({"site-packages", "dist-packages"})
SKIPPED = INSTALLED | {"node_modules", "__pycache__", "build", "dist"}


def imports_under(
    folders: Iterable[Path], dull: Collection[str], given: Mapping[str, bytes] | None = None
) -> Imports:
    """Index the import lines of files that may run what touches gradients, the nearest first.

    `given` has the contents that take the place of files.
    """
    instead = given or {}
    paths = (path for path in _below(folders) if path not in dull)
    contents = (
        (path, instead[path] if path in instead else content_of(path))
        for path in islice(paths, MOST_INDEXED)
    )
    return _indexed((path, _names(path, content)) for path, content in contents)


def passes_on(path: str) -> bool:
    """Tell whether a file is a package's own, which passes on what its modules define."""
    return path.endswith("__init__.py")


class ImportLines:
    """The import lines of a project that is linted again and again, as an editor does.

    A file is read again when its time or size changes. The folders are walked again when the last
    walk is older than twenty times what it took: of a day of typing that is a twentieth at most.
    """

    def __init__(self) -> None:
        self._folders: tuple[Path, ...] = ()
        self._walked, self._cost = -inf, 0.0
        self._read: dict[str, tuple[tuple[int, int], frozenset[str]]] = {}
        """What was read of each file, with its time and size."""

        self._names: dict[str, frozenset[str]] = {}
        self._index: Imports = {}

    def forget(self) -> None:
        """Walk the folders anew when next asked: somebody said that files changed."""
        self._walked = -inf

    def under(self, folders: Sequence[Path], given: Mapping[str, bytes]) -> Imports:
        """Return what `imports_under` returns, from memory as far as files are the same."""
        if tuple(folders) != self._folders or perf_counter() - self._walked > RARELY * self._cost:
            self._walk(tuple(folders))
        names = {path: names for path, (_, names) in self._read.items()}
        names |= {path: _names(path, content) for path, content in given.items() if path in names}
        if names != self._names:
            self._names, self._index = names, _indexed(names.items())
        return self._index

    def _walk(self, folders: tuple[Path, ...]) -> None:
        begun = perf_counter()
        before, self._read = self._read, {}
        for path in islice(_below(folders), MOST_INDEXED):
            stamp, known = _stamp(path), before.get(path)
            if known is None or known[0] != stamp:
                known = (stamp, _names(path, content_of(path)))
            self._read[path] = known
        self._folders, self._walked = folders, perf_counter()
        self._cost = self._walked - begun


def _below(folders: Iterable[Path]) -> dict[str, None]:
    """Return the Python files of folders; one may be given twice, or inside another one."""
    return dict.fromkeys(path for folder in folders for path in files_below(folder))


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)  # noqa: PTH116  for tens of thousands
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


def _names(path: str, content: bytes) -> frozenset[str]:
    """Return what a file imports, nothing of one that runs nothing which touches gradients."""
    wanted = passes_on(path) or may_run_candidates(content)
    return _origins(content) if wanted else frozenset()


def _indexed(files: Iterable[tuple[str, frozenset[str]]]) -> Imports:
    found: Imports = {}
    for path, origins in files:
        for origin in sorted(origins):
            for name in (origin, origin.rpartition(".")[0]):
                last = intern(name.rpartition(".")[2])
                found.setdefault(last, []).append((path, name))
    return found


def content_of(path: str) -> bytes:
    """Return a file's bytes; none of a pipe, which would be waited for, nor of a large file."""
    try:
        content = read_regular(path, LARGE_FILE)
    except (OSError, ValueError):
        return b""
    return content if len(content) <= LARGE_FILE else b""


def holds_home(folder: Path) -> bool:
    """Tell whether a folder is the user's home, or one around it: `/home`, `/`."""
    home = os.path.expanduser("~")  # noqa: PTH111  `Path.home` raises where there is none
    around = os.path.realpath(folder).rstrip(os.sep) + os.sep
    return os.path.isabs(home) and f"{os.path.realpath(home)}{os.sep}".startswith(around)  # noqa: PTH117


def files_below(root: Path) -> Iterator[str]:
    """Yield the Python files under the root, those of a folder before those of its subfolders."""
    most = MOST_MET_AT_HOME if holds_home(root) else MOST_MET
    # Breadth first, because a limit ends the reading: whoever runs a file is likely to be near it.
    waiting = deque([os.fspath(root)])
    met = 0
    while waiting and met < most:
        folder = waiting.popleft()
        _, folders, names = next(os.walk(folder), ("", [], []))
        met += len(folders) + len(names)
        waiting += [
            f"{folder}/{name}"
            for name in sorted(folders)
            if name not in SKIPPED
            and not name.startswith(".")
            and not os.path.islink(f"{folder}/{name}")  # noqa: PTH114  for tens of thousands
        ]
        for name in sorted(names):
            if name.endswith(".py") and not _leads_out(f"{folder}/{name}", root):
                yield shown(f"{folder}/{name}")


def _origins(content: bytes) -> frozenset[str]:
    """Return the dotted names in a file's import lines, relative ones without dots."""
    found: set[str] = set()
    for package, names in re.findall(FROM, content):
        base = package.decode().lstrip(".")
        if base and names.lstrip().startswith(b"*"):
            found.add(base)
        found |= {".".join(filter(None, (base, word.decode()))) for word in re.findall(WORD, names)}
    for names in re.findall(IMPORT, content):
        found |= {word.decode() for word in re.findall(DOTTED, names)}
    return frozenset(intern(name) for name in found)


def _leads_out(path: str, root: Path) -> bool:
    """Tell whether a file is a link to somewhere outside the root."""
    if not os.path.islink(path):  # noqa: PTH114  for tens of thousands of files
        return False
    home = os.path.realpath(root).rstrip(os.sep) + os.sep
    return not os.path.realpath(path).startswith(home)
