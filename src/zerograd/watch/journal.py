"""An append-only file per process: what was found so far survives any kind of death.

Each line is one JSON record, written with a single unbuffered `write`, so that a process killed
at any moment leaves at most one torn line at the end; readers drop it.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Record = dict[str, Any]

HISTORY = ".history"
"""How the name of a process's history ends."""


class Journal:
    """The writing end, one per process; the file appears with the first record."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{os.getpid()}.jsonl"
        self._file: int | None = None
        self.broken: OSError | None = None
        """Why nothing more is written; a full disk must not stop a training."""

    @property
    def is_begun(self) -> bool:
        """Whether a record was written."""
        return self._file is not None

    def write(self, record: Record) -> None:
        """Append one record; after a failed write the journal stays silent."""
        if self.broken:
            return
        line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
        try:
            if self._file is None:
                self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            written = os.write(self._file, line)
            if written < len(line):
                # The disk has just become full: the next write says so.
                os.write(self._file, line[written:])
        except OSError as error:
            self.broken = error

    def keep(self, history: Record) -> None:
        """Put the history beside the records, whole, in place of the one before."""
        if self.broken:
            return
        new = self.path.with_suffix(".new")
        try:
            new.write_text(json.dumps(history, separators=(",", ":")), encoding="utf-8")
            new.replace(self.path.with_suffix(HISTORY))
        except OSError as error:
            self.broken = error

    def close(self) -> None:
        """Release the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def read_journal(path: Path) -> Iterator[Record]:
    """Yield the whole records of one process; a torn last line is dropped."""
    for line in path.read_bytes().split(b"\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def read_history(folder: Path, pid: int) -> Record | None:
    """Return the history that a process kept, if it was asked to."""
    try:
        record = json.loads((folder / f"{pid}{HISTORY}").read_bytes())
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def read_journals(folder: Path) -> dict[int, list[Record]]:
    """Return every process's records, by process id."""
    paths = sorted(folder.glob("*.jsonl"), key=lambda path: int(path.stem))
    return {int(path.stem): list(read_journal(path)) for path in paths}
