"""Patterns for paths, with the meaning that .gitignore gave them."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

WILDCARD = re.compile(r"(\*\*/|\*\*|\*|\?)")

MEANINGS = {
    "**/": r"(?:[^/]+/)*",
    "**": r".*",
    "*": r"[^/]*",
    "?": r"[^/]",
}


def covers(pattern: str, path: Path, folder: Path) -> bool:
    """Tell whether the pattern covers this path or a folder that it lies in.

    Without a slash it is a name at any depth, with one it counts from `folder`.

    >>> from pathlib import Path
    >>> root = Path("/project")
    >>> covers("tests", root / "pkg/tests/test_a.py", root)
    True
    >>> covers("pkg/*.py", root / "pkg/tests/test_a.py", root)
    False
    """
    anchored = "/" in pattern.rstrip("/")
    matcher = compiled(pattern.strip("/"))
    parts = relative_parts(path, folder)
    if not anchored:
        return any(matcher.fullmatch(part) for part in parts)
    return any(matcher.fullmatch("/".join(parts[:end])) for end in range(1, len(parts) + 1))


def relative_parts(path: Path, folder: Path) -> tuple[str, ...]:
    """Return the path's names below `folder`; a path elsewhere keeps all its own."""
    absolute = path.absolute()
    if absolute.is_relative_to(folder):
        return absolute.relative_to(folder).parts
    return absolute.parts[1:]


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return the regular expression that the pattern abbreviates."""
    pieces = WILDCARD.split(pattern)
    return re.compile("".join(MEANINGS.get(piece) or re.escape(piece) for piece in pieces))
