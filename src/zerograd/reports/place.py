"""Paths as the machines behind a report need them: from the repository's root."""

from __future__ import annotations

import posixpath


def from_root(path: str, prefix: str) -> str:
    """Return a path of the working directory as seen from the repository's root.

    >>> from_root("../data/train.py", "src/models")
    'src/data/train.py'
    """
    return path if is_absolute(path) else posixpath.normpath(posixpath.join(prefix, path))


def is_absolute(path: str) -> bool:
    """Whether a path with `/` begins at a root or at a drive, on any system."""
    return path.startswith("/") or path[1:3] == ":/"
