"""Read the lines that findings stand on, from files and from the cells of notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from zerograd.findings.location import Location
    from zerograd.findings.notebook import Notebook

LARGEST = 32 * 1024 * 1024
"""Bytes; what is larger is data, and no report reads it for the sake of a code frame."""


class Sources:
    """The users' files, each read at most once; what cannot be read has no lines.

    `texts` gives the sources that are already at hand or exist in no file, such as standard
    input; lint passes what it analysed, so that a frame never shows a file changed meanwhile.
    """

    def __init__(self, folder: Path | None = None, texts: Mapping[str, str] | None = None) -> None:
        self._folder = folder
        self._texts: dict[str, str | None] = dict(texts or {})
        self._notebooks: dict[str, Notebook | None] = {}
        self._lines: dict[tuple[str, int | None], tuple[str, ...] | None] = {}

    def lines(self, path: str, cell: int | None = None) -> tuple[str, ...] | None:
        """Return the lines of a file or of one code cell, without their ends."""
        key = (path, cell)
        if key not in self._lines:
            self._lines[key] = self._split(path, cell)
        return self._lines[key]

    def physical(self, location: Location) -> Location | None:
        """Return where a location is in the file itself; of a notebook, in its raw JSON."""
        if location.cell is None:
            return location
        notebook = self._notebook(location.path)
        return notebook.physical(location) if notebook else None

    def _split(self, path: str, cell: int | None) -> tuple[str, ...] | None:
        if cell is None:
            text = self._text(path)
        else:
            notebook = self._notebook(path)
            text = notebook.source(cell) if notebook else None
        return None if text is None else split_lines(text)

    def _text(self, path: str) -> str | None:
        if path not in self._texts:
            self._texts[path] = read(path, self._folder)
        return self._texts[path]

    def _notebook(self, path: str) -> Notebook | None:
        # Imported here: only notebooks need json.
        from zerograd.findings.notebook import parse_notebook

        if path not in self._notebooks:
            text = self._text(path)
            self._notebooks[path] = None if text is None else parse_notebook(text)
        return self._notebooks[path]


def split_lines(text: str) -> tuple[str, ...]:
    r"""Split where Python's own tokenizer does: `str.splitlines` also splits at \f and U+2028.

    >>> split_lines("a = 1\r\nb = '\x0c'\n")
    ('a = 1', "b = '\x0c'", '')
    """
    return tuple(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def read(path: str, folder: Path | None) -> str | None:
    """Return a source file's text in its declared encoding, None where that is impossible."""
    # Imported here: a report without code frames starts without them.
    from io import BytesIO, TextIOWrapper
    from pathlib import Path
    from tokenize import detect_encoding

    from zerograd.bounded_read import read_regular

    try:
        content = read_regular((folder or Path()) / path, LARGEST)
        encoding, _ = detect_encoding(BytesIO(content).readline)
        return TextIOWrapper(BytesIO(content), encoding).read() if len(content) <= LARGEST else None
    except (OSError, ValueError, SyntaxError, LookupError):
        return None
