"""Replace the source of one notebook cell in the raw JSON, and no other byte."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from zerograd.findings.notebook import parse_notebook
from zerograd.lint.repair.edits import apply_edits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zerograd.findings import Edit
    from zerograd.findings.notebook import Cell


def edit_cell(raw: str, number: int, edits: Iterable[Edit]) -> str:
    """Return a notebook's text after edits of one cell; the text itself if there is no such."""
    notebook = parse_notebook(raw)
    cell = notebook.cells.get(number) if notebook else None
    if cell is None or not cell.pieces:
        return raw
    strings = json.JSONDecoder()
    spans = [(start - 1, strings.raw_decode(raw, start - 1)[1]) for start in cell.offsets]
    changed = apply_edits(cell.source, edits)
    is_list = raw[: spans[0][0]].rstrip().endswith("[")
    pieces = changed.splitlines(keepends=True) if is_list else [changed]
    written = separator(raw, spans).join(spelled(pieces, cell, raw, spans))
    return raw[: spans[0][0]] + written + raw[spans[-1][1] :]


def spelled(
    pieces: Sequence[str], cell: Cell, raw: str, spans: Sequence[tuple[int, int]]
) -> list[str]:
    """Return the pieces as JSON strings; those that stay keep the spelling that they had."""
    known = {piece: raw[begin:end] for piece, (begin, end) in zip(cell.pieces, spans, strict=True)}
    return [known.get(piece) or json.dumps(piece, ensure_ascii=raw.isascii()) for piece in pieces]


def separator(raw: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return what stands between two pieces: a comma and the list's own indentation."""
    if len(spans) > 1:
        return raw[spans[0][1] : spans[1][0]]
    before = raw[: spans[0][0]]
    return "," + before[len(before.rstrip()) :]
