"""Append records to one file per process, so that findings survive any kind of death.

Each line is one JSON record, written whole by a single unbuffered `write`: a process killed at any
moment leaves at most one torn line at the end, and readers drop it.

No descriptor is kept between two records: a program that closes all descriptors (daemons do, with
`os.closerange`) and opens a file of its own would get ours, and our next record in its file.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

Record = dict[str, Any]

RECORDS = ".jsonl"
"""How the name of a process's journal ends."""

HISTORY = ".history"
"""How the name of a process's history ends."""

LOST = ".lost"
"""How the name of a journal ends in which records are missing, after the error's number."""

APPENDING = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
LOOKING = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Journal:
    """The writing end, one per process; the file appears with the first record."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{os.getpid()}{RECORDS}"
        self.is_begun = False
        """Whether a record was written, or waits to be."""
        self.broken: OSError | None = None
        """Why the last records could not be written; a full disk must not stop a training."""
        self._waiting = b""

    def write(self, record: Record) -> None:
        """Append one record; what cannot be written now is tried again with the next."""
        self.is_begun = True
        self._waiting += json.dumps(record, separators=(",", ":")).encode() + b"\n"
        try:
            file = os.open(self.path, APPENDING, 0o600)
            try:
                self._write_out(file)
            finally:
                os.close(file)
        except OSError as error:
            self.broken = error
        else:
            self.broken = None

    def _write_out(self, file: int) -> None:
        while self._waiting:
            written = os.write(file, self._waiting)
            if written < len(self._waiting):
                # The disk has just become full. The torn line gets an end, and is written again.
                whole = self._waiting.rfind(b"\n", 0, written) + 1
                self._waiting = b"\n" + self._waiting[whole:]
            else:
                self._waiting = b""

    def keep(self, history: Record) -> None:
        """Put the history beside the records, whole, in place of the one before."""
        new = self.path.with_suffix(".new")
        try:
            new.write_text(json.dumps(history, separators=(",", ":")), encoding="utf-8")
            new.replace(self.path.with_suffix(HISTORY))
        except OSError as error:
            self.broken = error

    def give_up(self) -> bool:
        """Tell readers that records are missing, by a name: on a full disk that needs no room.

        Return whether that could be done.
        """
        assert self.broken is not None
        lost = self.path.with_suffix(f".{self.broken.errno or 0}{LOST}")
        with suppress(OSError):
            lost.touch(0o600)
        with suppress(OSError):
            self.path.replace(lost)
        return os.path.exists(lost)  # noqa: PTH110  `Path.exists` raises where it may not look


def read_whole(path: Path) -> bytes:
    """Return the content of a regular file; anything else is an error, and never waited for."""
    file = os.open(path, LOOKING)
    with os.fdopen(file, "rb") as opened:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(0, "it is no regular file")
        return opened.read()


def read_lines(path: Path) -> list[Any]:
    """Return what each line of a journal says; None for a line that says nothing."""
    return [_said(line) for line in read_whole(path).split(b"\n") if line]


def _said(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
