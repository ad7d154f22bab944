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


class Journal:
    """The writing end, one per process."""

    def __init__(self, folder: Path, pid: int | None = None) -> None:
        self.path = folder / f"{os.getpid() if pid is None else pid}.jsonl"
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.broken: OSError | None = None
        """Why nothing more is written; a full disk must not stop a training."""

    def write(self, record: Record) -> None:
        """Append one record; after a failed write the journal stays silent."""
        if self.broken:
            return
        line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
        try:
            os.write(self._file, line)
        except OSError as error:
            self.broken = error

    def close(self) -> None:
        """Release the file."""
        os.close(self._file)


def read_journal(path: Path) -> Iterator[Record]:
    """Yield the whole records of one process; a torn last line is dropped."""
    for line in path.read_bytes().split(b"\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def read_journals(folder: Path) -> dict[int, list[Record]]:
    """Return every process's records, by process id."""
    paths = sorted(folder.glob("*.jsonl"), key=lambda path: int(path.stem))
    return {int(path.stem): list(read_journal(path)) for path in paths}
