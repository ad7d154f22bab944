"""A notebook as one module: its code cells in order, with what is no Python made harmless."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from zerograd.errors import UnreadableError
from zerograd.findings.notebook import parse_notebook
from zerograd.lint.analysis_budget import UnseenError
from zerograd.lint.program.source_file import CellStart, Source, parse
from zerograd.record import replace

if TYPE_CHECKING:
    from collections.abc import Iterator

KEEP_BODY = {"time", "capture", "watch"}
"""Cell magics that run their body once, as it stands."""

CELL_MAGIC = re.compile(r"\s*%%(\w+)")
SPECIAL = re.compile(
    r"^[^\S\n]*+(?:[!%?]|(?:pip3?|conda|cd|ls)\s)|\?[^\S\n]*+$|=[^\S\n]*+[!%]", re.MULTILINE
)

ASSIGNED = re.compile(r"([\w.,\s\[\]'\"]++=\s*+)[!%]")
"""`files = !ls` and `took = %timeit -o f()` bind a name to what nobody trains."""

LINE_MAGIC = re.compile(r"(\s*)(?:[!%?]|(?:pip3?|conda|cd|ls)\s|[\w.*]+\?{1,2}\s*$)")


def notebook_source(path: str, raw: str) -> Source:
    """Return the module that the code cells of a notebook form."""
    notebook = parse_notebook(raw)
    if notebook is None:
        raise UnreadableError("is no notebook: no JSON with a list of cells")
    pieces, cells, line = [], [], 1
    for number, cell in notebook.cells.items() if is_python(raw) else ():
        lines = plain_lines(cell.source)
        indent = indent_of(lines)
        text = "\n".join(item[indent:] for item in lines) + "\n"
        pieces.append(text)
        cells.append(CellStart(number, line, indent))
        line += text.count("\n")
    return Source(path, "".join(pieces), tuple(cells))


def indent_of(lines: list[str]) -> int:
    """Return how far IPython moves a cell to the left: by what its first line is indented."""
    code = [line for line in lines if line.strip()]
    first = len(code[0]) - len(code[0].lstrip()) if code else 0
    return first if all(not line[:first].strip() for line in code) else 0


def readable(source: Source) -> Source | None:
    """Return a source that is not valid Python with what cannot be read taken out, cell by cell.

    None where nothing is left: a file of one piece that cannot be mended.
    """
    # Loaded late: most files are valid.
    from zerograd.lint.program.mended_source import mended

    if not source.cells:
        found = mended(source.text)
        if found is None:
            return None
        return replace(source, text=found.text, unread=tuple(tuple(item) for item in found.unread))
    lines = source.text.split("\n")
    firsts = [cell.first_line for cell in source.cells]
    unread: list[tuple[int, str]] = []
    for first, after in zip(firsts, [*firsts[1:], len(lines)], strict=True):
        piece = "\n".join(lines[first - 1 : after - 1])
        if is_valid(piece):
            continue
        found = mended(piece)
        text = found.text if found is not None else "\n" * piece.count("\n")
        lines[first - 1 : after - 1] = text.split("\n")
        told = found.unread if found is not None else [(1, "it cannot be read")]
        unread += [(first - 1 + line, why) for line, why in told]
    return replace(source, text="\n".join(lines), unread=tuple(unread))


def is_python(raw: str) -> bool:
    """Tell whether the notebook's kernel speaks Python; one that does not say so does."""
    metadata = json.loads(raw).get("metadata", {})
    kernel = metadata.get("kernelspec", {}) if isinstance(metadata, dict) else {}
    language = kernel.get("language", "python") if isinstance(kernel, dict) else "python"
    return str(language).lower() in ("python", "ipython")


def plain_lines(text: str) -> list[str]:
    """Return the lines of a cell, as many as it has, without what only IPython understands."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not SPECIAL.search(text) or is_valid(text):
        return lines
    magic = CELL_MAGIC.match(text)
    if magic is None:
        return list(without_magics(lines))
    if magic[1] not in KEEP_BODY:
        return [""] * len(lines)
    first = text[: magic.start(1)].count("\n")
    return [*[""] * (first + 1), *without_magics(lines[first + 1 :])]


def is_valid(text: str) -> bool:
    """Tell whether a cell is Python as it stands: a line `% b` in parentheses is no magic."""
    try:
        parse(text)
    except (SyntaxError, ValueError, UnseenError):
        return False
    return True


def without_magics(lines: list[str]) -> Iterator[str]:
    """Yield the lines with magics, shell commands and questions replaced, continuations too."""
    is_continued = False
    for line in lines:
        magic = LINE_MAGIC.match(line)
        assigned = ASSIGNED.match(line)
        if is_continued:
            yield ""
        elif magic:
            yield f"{magic[1]}pass"
        elif assigned:
            yield f"{assigned[1]}None"
        else:
            yield line
            continue
        is_continued = line.endswith("\\")
