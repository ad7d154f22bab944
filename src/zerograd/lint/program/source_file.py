"""What lint reads: one module's text, where its lines come from, and its syntax tree."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from bisect import bisect_right
from functools import lru_cache
from io import StringIO

from zerograd.findings import Location
from zerograd.lint.analysis_budget import FILE_SYNTAX, UnseenError
from zerograd.record import record

DEEP_STACK = 512 * 1024 * 1024
"""Virtual stack of the thread that parses nests which the main thread's stack cannot hold."""

DEEP_RECURSION = 200_000

SMALL_TEXT = 100_000
"""Characters; no text of so few has a tree that is worth estimating."""

PLAIN_TEXT = re.compile(
    r"""\#[^\n]*+|\"{3}(?:[^"\\]|\\.|"(?!""))*+(?:\"{3})?|'{3}(?:[^'\\]|\\.|'(?!''))*+(?:'{3})?"""
    r"""|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?""",
    re.S,
)
"""Comments and strings: no syntax inside, unless a string is formatted.

One that does not end, which is where Python stops, is not looked at again from its next quote.
"""

FORMATTED = re.compile(r"""\b[rR]?[fF][rR]?["']""").search
WORDS = re.compile(r"\w+")
SIGNS = "([{~+-*/%@&|^<>:"
BYTES = (900, 800, 1_000)
"""What a word, a line and a sign lead to while Python 3.11 parses; measured, rounded up."""


@record(frozen=True)
class CellStart:
    """Where a notebook's code cell begins in the module that all its cells form."""

    number: int
    first_line: int
    indent: int = 0
    """Columns that every line of it stands further right in the notebook."""


@record(frozen=True)
class Source:
    """One module as text; a notebook is its code cells, one after the other."""

    path: str
    """As findings show it: relative to the working directory where possible, with `/`."""

    text: str
    cells: tuple[CellStart, ...] = ()
    unread: tuple[tuple[int, str], ...] = ()
    """Lines that were taken out because they are not valid Python, with what the parser said."""

    @property
    def lines(self) -> list[str]:
        """The text in lines with their ends."""
        return _lines(self.text)

    def cell_of(self, line: int) -> tuple[int | None, int]:
        """Return the notebook cell of a module line and the line within that cell."""
        if not self.cells:
            return None, line
        at = bisect_right([cell.first_line for cell in self.cells], line) - 1
        cell = self.cells[max(at, 0)]
        return cell.number, line - cell.first_line + 1

    def column(self, line: int, offset: int) -> int:
        """Return the 1-based column in code points of a UTF-8 offset, as `ast` counts."""
        if self.text.isascii() or not 0 < line <= len(self.lines):
            return offset + 1
        text = self.lines[line - 1]
        return len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace")) + 1

    def locate(self, node: ast.AST) -> Location:
        """Return the stretch of source that a node covers."""
        line: int = getattr(node, "lineno", 1)
        last: int = getattr(node, "end_lineno", None) or line
        column = self.column(line, getattr(node, "col_offset", 0))
        end = self.column(last, getattr(node, "end_col_offset", None) or 0)
        cell, first = self.cell_of(line)
        right = self._indent_of(line)
        return Location(self.path, first, column + right, first + last - line, end + right, cell)

    def _indent_of(self, line: int) -> int:
        """Return how far a line was moved to the left: IPython dedents an indented cell."""
        if not any(cell.indent for cell in self.cells):
            return 0
        at = bisect_right([cell.first_line for cell in self.cells], line) - 1
        return self.cells[max(at, 0)].indent


@lru_cache(maxsize=4)
def _lines(text: str) -> list[str]:
    # Of the few files that are asked often at a time: a list for each would be kept with its tree.
    # With newline="" lines end where Python ends them; `str.splitlines` also does at a form feed.
    return StringIO(text, newline="").readlines()


def tree_size(text: str) -> int:
    """Estimate the bytes that it takes to parse a text; 0 for a small one.

    Two bytes of source, `0,` in a list or a name alone on its line, take up to 1,800.
    """
    if len(text) < SMALL_TEXT:
        return 0
    # Constants that are no words: strings, with those in formatted ones, and `...`.
    constants = text.count("...")
    if FORMATTED(text):
        constants += (text.count('"') + text.count("'")) // 2
    else:
        text = PLAIN_TEXT.sub(" s ", text)
    words = constants + sum(1 for _ in WORDS.finditer(text))
    signs = sum(map(text.count, SIGNS))
    lines = text.count("\n") + text.count(";")
    return sum(count * size for count, size in zip((words, lines, signs), BYTES, strict=True))


def parse(text: str) -> ast.Module:
    """Parse, also what nests deeper than Python's usual stack; raises SyntaxError.

    Raises UnseenError for a text whose tree would take too much memory.
    """
    if tree_size(text) > FILE_SYNTAX:
        raise UnseenError(f"the file's budget of {FILE_SYNTAX // 1_000_000} MB for its syntax")
    try:
        return _parse(text)
    except (RecursionError, MemoryError):
        return _parse_deep(text)


def _parse(text: str) -> ast.Module:
    with warnings.catch_warnings():
        # Invalid escapes in what is read are its author's business.
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _parse_deep(text: str) -> ast.Module:
    """Parse in a thread with a large stack: a sum of 20,000 terms is 20,000 nodes deep."""
    import threading

    result: list[ast.Module | SyntaxError] = []

    def work() -> None:
        try:
            result.append(_parse(text))
        except SyntaxError as error:
            result.append(error)
        except (RecursionError, MemoryError):
            result.append(SyntaxError("nested too deeply to be parsed"))

    limit, size = sys.getrecursionlimit(), threading.stack_size(DEEP_STACK)
    sys.setrecursionlimit(DEEP_RECURSION)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    parsed = result[0]
    if isinstance(parsed, SyntaxError):
        raise parsed
    return parsed
