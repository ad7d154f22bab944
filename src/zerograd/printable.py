"""Make any text harmless on a terminal and in a log, and know how wide it is there.

Names of files, folders, modules and rules, settings and arguments come from people who may mean
harm: whatever a verb prints of them goes through `printable()` or `say()`.
"""

from __future__ import annotations

import sys
from unicodedata import category, combining, east_asian_width

LONGEST = 600
"""Characters; a longer message is cut in the reports that people read."""

# Control, format (all bidirectional controls are here), surrogate, line and paragraph separator.
HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(character: str) -> str:
    r"""Return the character itself, or its escape where a terminal would obey instead of show it.

    >>> visible("a"), visible("\n"), visible("\x1b"), visible("\u202e")
    ('a', '\\n', '\\x1b', '\\u202e')
    """
    if character.isascii() and character.isprintable():
        return character
    return escape(character) if category(character) in HIDDEN else character


def escape(character: str) -> str:
    """Spell a character as a Python string literal does."""
    return character.encode("unicode_escape").decode("ascii")


def printable(text: str) -> str:
    """Return the text on one line, with everything hidden made visible."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(visible, text))


def say(text: str) -> None:
    """Write one line of zerograd's own to stderr: no name in it begins another."""
    sys.stderr.write(f"zerograd: {printable(text)}\n")


def sentence(text: str) -> str:
    """Return a message for a reader: printable, and cut when it is endless."""
    shown = printable(text[: LONGEST + 1])
    return shown if len(text) <= LONGEST else shown[: LONGEST - 3] + "..."


def well_formed(text: str) -> str:
    """Return the text without lone surrogates, which no UTF-8 file and few JSON readers accept."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def width(character: str) -> int:
    """Return how many columns of a terminal a visible character takes."""
    if character.isascii():
        return 1
    if combining(character) or category(character) in {"Mn", "Me"}:
        return 0
    return 2 if east_asian_width(character) in {"W", "F"} else 1


def cells(text: str) -> int:
    """Return how many columns of a terminal a visible text takes."""
    return len(text) if text.isascii() else sum(map(width, text))
