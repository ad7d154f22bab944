"""What a repair changes in a file, as a difference that `patch` and `git apply` read.

Of a notebook the changed cells are shown, for a reader: `--fix` is what writes them.
"""

from __future__ import annotations

import os
import re
import sys
from difflib import diff_bytes, unified_diff
from typing import TYPE_CHECKING

from zerograd.printable import printable, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

LINES = re.compile(rb"[^\n]*\n|[^\n]+")
"""As those programs see them: `splitlines` would also split at a form feed."""

LETTERS = {"\n": rb"\n", "\t": rb"\t", "\r": rb"\r", '"': rb"\"", "\\": rb"\\"}
"""How a quoted name spells what has a letter of its own."""


def write_diff(path: str, before: bytes, after: bytes) -> None:
    """Write a difference: to a program byte for byte, on a terminal with nothing to obey in it."""
    sys.stdout.flush()
    lines = [
        line for name, old, new in parts(path, before, after) for line in diff_lines(name, old, new)
    ]
    if not sys.stdout.isatty():
        sys.stdout.buffer.writelines(lines)
        sys.stdout.buffer.flush()
        return
    for line in lines:
        shown = line.rstrip(b"\r\n").decode("utf-8", "backslashreplace").expandtabs()
        sys.stdout.write(f"{printable(shown)}\n")


def parts(path: str, before: bytes, after: bytes) -> Iterator[tuple[str, bytes, bytes]]:
    """Yield what to compare: a file, or of a notebook the cells, whose JSON is nothing to read."""
    if not path.endswith(".ipynb"):
        yield path, before, after
        return
    # Loaded late: most files are no notebooks.
    from zerograd.findings.notebook import parse_notebook

    old, new = (parse_notebook(content.decode("utf-8-sig")) for content in (before, after))
    if old is None or new is None:
        yield path, before, after
        return
    for number, cell in new.cells.items():
        was, now = ended(old.source(number) or ""), ended(cell.source)
        yield f"{path}:cell{number}", was.encode(), now.encode()


def ended(text: str) -> str:
    """Return a cell with the end of its last line, which notebooks leave out."""
    return text if text.endswith("\n") else f"{text}\n"


def diff_lines(path: str, before: bytes, after: bytes) -> Iterator[bytes]:
    r"""Yield the lines of a difference.

    >>> for line in diff_lines("x\n+++ b/y.py", b"x = 1\n", b"x = 2\n"):
    ...     print(line.decode(), end="")
    --- "a/x\n+++ b/y.py"
    +++ "b/x\n+++ b/y.py"
    @@ -1 +1 @@
    -x = 1
    +x = 2
    """
    old, new = LINES.findall(before), LINES.findall(after)
    for line in diff_bytes(unified_diff, old, new, name_of("a", path), name_of("b", path)):
        yield line
        if not line.endswith(b"\n"):
            yield b"\n\\ No newline at end of file\n"


def name_of(side: str, path: str) -> bytes:
    """Return a file's name as a header has it: quoted like a string of C if it is not plain.

    A line end in a name would begin a header of another file, a space or a tab end the name.
    """
    name = f"{side}/{path}"
    if all(is_seen(one) and one not in ' "\\' for one in name):
        return os.fsencode(name)
    return b'"' + b"".join(map(quoted, name)) + b'"'


def quoted(character: str) -> bytes:
    """Return a character as it stands in a quoted name; what is hidden byte by byte."""
    if character in LETTERS:
        return LETTERS[character]
    if is_seen(character):
        return os.fsencode(character)
    return b"".join(b"\\%03o" % byte for byte in os.fsencode(character))


def is_seen(character: str) -> bool:
    """Tell whether a terminal shows a character as it is."""
    return visible(character) == character
