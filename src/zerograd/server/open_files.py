"""The files that an editor has open, saved or not: their paths, texts and positions."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from lsprotocol import types
from pygls.uris import to_fs_path, uri_scheme
from pygls.workspace import ServerTextPosition, TextDocument

from zerograd.errors import UnreadableError
from zerograd.findings.source import split_lines
from zerograd.lint.program.decoding import DECLARES, declared
from zerograd.lint.repair.edits import lines_with_ends
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pygls.workspace import PositionCodec, Workspace

    from zerograd.findings import Edit, Location

NOTEBOOK = ".ipynb"
SUFFIXES = (".py", ".pyw", NOTEBOOK)
NOWHERE = os.path.join(os.sep, "no workspace")  # noqa: PTH118
"""Where a text lies that was never saved, with no folder open: nothing is beside it."""

PYTHON = "python"
"""What editors call the language: also of a script that has no suffix."""


class EditorText(TextDocument):
    """A text whose lines end where editors and Python end them.

    pygls also ends one at a form feed or U+2028, so that parts of a change land elsewhere.
    """

    @property
    def lines(self) -> Sequence[str]:
        """The lines with their ends; the last is empty after a line end."""
        return lines_with_ends(self.source)


@record(frozen=True)
class OpenText:
    """One text in the editor: a file, or one cell of a notebook."""

    uri: str
    version: int | None
    text: str


@record(frozen=True)
class OpenFile:
    """One file in the editor; a notebook's code cells are texts of their own."""

    path: str
    """Absolute. A text that was never saved has the path of a file that does not exist."""

    uri: str
    texts: tuple[OpenText, ...]
    is_notebook: bool = False

    @property
    def content(self) -> bytes:
        """What the file would hold if it were saved now."""
        if not self.is_notebook:
            return encoded(self.texts[0].text)
        cells = [{"cell_type": "code", "source": one.text} for one in self.texts]
        return json.dumps({"cells": cells, "metadata": {}}).encode()

    @property
    def versions(self) -> tuple[int | None, ...]:
        """What tells this state of the file from a later one."""
        return tuple(one.version for one in self.texts)

    def text_of(self, cell: int | None) -> OpenText | None:
        """Return the text that a finding's cell means."""
        if cell is None:
            return None if self.is_notebook else self.texts[0]
        return self.texts[cell - 1] if self.is_notebook and cell <= len(self.texts) else None

    def cell_of(self, uri: str) -> int | None:
        """Return the number of the cell that is this text; None in a file of one text."""
        numbers = (number for number, one in enumerate(self.texts, start=1) if one.uri == uri)
        return next(numbers, None) if self.is_notebook else None


def open_files(workspace: Workspace) -> dict[str, OpenFile]:
    """Return what is open by the addresses of files; cells are found in their notebooks."""
    found = {}
    cells: set[str] = set()
    for notebook in workspace.notebook_documents.values():
        texts = tuple(
            cell_text(cell.document, workspace)
            for cell in notebook.cells
            if cell.kind == types.NotebookCellKind.Code
        )
        cells |= {cell.document for cell in notebook.cells}
        path = path_of(notebook.uri, workspace, NOTEBOOK)
        if path is not None:
            found[notebook.uri] = OpenFile(path, notebook.uri, texts, is_notebook=True)
    for one in workspace.text_documents.values():
        path = path_of(one.uri, workspace, ".py")
        is_python = one.language_id == PYTHON or (path or "").endswith(SUFFIXES)
        if one.uri not in cells and path is not None and is_python:
            text = OpenText(one.uri, one.version, one.source)
            found[one.uri] = OpenFile(path, one.uri, (text,))
    return found


def cell_text(uri: str, workspace: Workspace) -> OpenText:
    """Return the text of a cell; one in another language is not sent, and counts as empty."""
    one = workspace.text_documents.get(unquote(uri))
    return OpenText(uri, None, "") if one is None else OpenText(one.uri, one.version, one.source)


def path_of(uri: str, workspace: Workspace, suffix: str) -> str | None:
    """Return the path of a text; None for what is no file's, as the old side of a comparison."""
    if uri_scheme(uri) in ("file", ""):
        return to_fs_path(uri)
    if uri_scheme(uri) != "untitled":
        return None
    # Each has its own: two texts of one path would be one file to lint.
    name = os.path.basename(unquote(urlsplit(uri).path)) or "untitled"  # noqa: PTH119
    folder = workspace.root_path or NOWHERE
    return os.path.join(folder, name if name.endswith(suffix) else f"{name}{suffix}")  # noqa: PTH118


def encoded(text: str) -> bytes:
    """Return a text in the encoding that it declares; what cannot be encoded keeps its column."""
    content = text.encode("utf-8", "replace")
    if not DECLARES.match(content):
        return content
    try:
        return text.encode(declared(content), "replace")
    except (UnreadableError, LookupError, UnicodeError):
        return content


class Positions:
    """Places as the editor counts them: from 0, in the units that it asked for."""

    def __init__(self, codec: PositionCodec) -> None:
        self._codec = codec

    def position(self, lines: Sequence[str], line: int, column: int) -> types.Position:
        """Return a place; our lines and columns count from 1, in code points."""
        return self._codec.position_to_client_units(
            lines, ServerTextPosition(line=line - 1, character=column - 1)
        )

    def range(self, text: str | None, at: Location | Edit) -> types.Range:
        """Return a stretch of a text; one without an end reaches to the end of its line.

        Of a text that cannot be read, columns stay code points: they differ only after an emoji.
        """
        lines = split_lines(text) if text is not None else ()
        last = at.end_line or at.line
        if not lines:
            start = types.Position(at.line - 1, at.column - 1)
            return types.Range(start, types.Position(last - 1, (at.end_column or at.column) - 1))
        whole = len(lines[at.line - 1]) + 1 if at.line <= len(lines) else 1
        end = at.end_column if at.end_column is not None else max(whole, at.column)
        return types.Range(
            self.position(lines, at.line, at.column), self.position(lines, last, end)
        )

    def column_of(self, text: str, position: types.Position) -> int:
        """Return our column of a place."""
        found = self._codec.position_from_client_units(split_lines(text), position)
        return found.character + 1
