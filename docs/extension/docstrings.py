"""Docstrings as the terminal shows them, turned into what sphinx can set."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# "accumulate        micro-batches that close a window"; what is indented further goes on.
ENTRY = re.compile(r"^(\w+) {2,}(\S.*)$")
MORE = re.compile(r"^ {4,}(\S.*)$")
# Sphinx takes `|g|` for a substitution; ours are absolute values.
ABSOLUTE = re.compile(r"\|\w+\|")


def prepare(
    app: object, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Make a list of definitions of each table that is aligned by spaces.

    A module's own docstring is for those who open the file: the page introduces it itself.
    """
    del app, name, obj, options
    lines[:] = [] if what == "module" else map(literal, defined(lines))


def literal(line: str) -> str:
    """Return a line whose absolute values are code.

    >>> literal("Median of |g| / |f|.")
    'Median of ``|g|`` / ``|f|``.'
    """
    return ABSOLUTE.sub(r"``\g<0>``", line)


def defined(lines: list[str]) -> Iterator[str]:
    """Yield the lines, a table's entry as a term and its definition."""
    in_table = False
    for line in lines:
        entry = ENTRY.match(line)
        more = MORE.match(line) if in_table else None
        in_table = bool(entry or more)
        if entry:
            yield f"``{entry[1]}``"
            yield f"    {entry[2]}"
        else:
            yield f"    {more[1]}" if more else line


def without_misspelt(
    app: object,
    what: str,
    name: str,
    obj: object,
    options: object,
    signature: str | None,
    returns: str | None,
) -> tuple[str | None, str | None]:
    """Leave out of a signature what only catches misspelt arguments."""
    del app, what, name, obj, options
    return (signature and signature.replace(", **misspelt: Never", ""), returns)
