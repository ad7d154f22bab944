"""Who imports whom: the import lines of a project's files, read without parsing them."""

from __future__ import annotations

import os
import re
from collections import deque
from itertools import islice
from sys import intern
from typing import TYPE_CHECKING

from zerograd.bounded_read import read_regular
from zerograd.lint.program.display_paths import shown
from zerograd.lint.program.prefilter import may_run_candidates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

Imports = dict[str, list[tuple[str, str]]]
"""A module's last name -> the files that import something of that name, and how."""

LARGE_FILE = 1_000_000

MOST_INDEXED = 20_000
"""Files whose import lines are read: a script may lie in a folder that holds a hundred projects."""

MOST_MET = 500_000
"""Names of files and folders that are listed to find them."""

# Compiled when first used, and kept by `re`: a file alone is imported by nobody.
FROM = rb"(?m)^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*+\)?|[^\n#]*)"
IMPORT = rb"(?m)^[ \t]*import[ \t]+([^\n#]*)"
DOTTED = rb"[A-Za-z_][\w.]*"
WORD = rb"[A-Za-z_]\w*"

INSTALLED = frozenset({"site-packages", "dist-packages"})
SKIPPED = INSTALLED | {"node_modules", "__pycache__", "build", "dist"}


def imports_under(folders: Iterable[Path], dull: Collection[str]) -> Imports:
    """Index the import lines of files that may run what touches gradients, the nearest first."""
    found: Imports = {}
    # A folder may be given twice, or inside another one.
    paths = dict.fromkeys(path for folder in folders for path in _files(folder))
    for path in islice((path for path in paths if path not in dull), MOST_INDEXED):
        content = content_of(path)
        if may_run_candidates(content):
            for origin in sorted(_origins(content)):
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


def _files(root: Path) -> Iterator[str]:
    """Yield the Python files under the root, those of a folder before those of its subfolders."""
    # Breadth first, because a limit ends the reading: whoever runs a file is likely to be near it.
    waiting = deque([os.fspath(root)])
    met = 0
    while waiting and met < MOST_MET:
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
