"""The few colours of a report on a terminal; without colour every text stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Paint: TypeAlias = Callable[[str, str], str]

CODES = {
    "place": "1",
    "error": "1;31",
    "warning": "1;33",
    "hint": "1;36",
    "evidence": "34",
    "gutter": "2",
    "removed": "31",
    "added": "32",
    "key": "1",
}


def plain(text: str, style: str) -> str:
    """Return the text as it is."""
    del style
    return text


def coloured(text: str, style: str) -> str:
    """Return the text in a style, as an ANSI terminal understands it."""
    return f"\x1b[{CODES[style]}m{text}\x1b[0m" if text else ""


def painter(color: bool) -> Paint:
    """Return how to paint."""
    return coloured if color else plain
