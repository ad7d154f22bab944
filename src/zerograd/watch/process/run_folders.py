"""Create the folder in which a run keeps its journals, and find what killed runs left behind."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
import time
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from zerograd.errors import UnreadableError
from zerograd.record import record
from zerograd.system import NO_WAIT, try_lock, user_number
from zerograd.watch.process.journal import read_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PREFIX = "zerograd-watch-"
CARD = "run.json"
LOCK = "lock"


@record(frozen=True)
class Leftover:
    """A run whose `zerograd watch` was killed before it could report."""

    folder: Path
    command: str
    """What was run: "train.py --epochs 2"."""

    started: float
    """Seconds since the epoch."""

    watcher: int
    """The process that was killed."""

    here: Path
    """The working directory of that run, from which its paths count."""


@contextmanager
def new_run(command: Sequence[str]) -> Iterator[Path]:
    """Yield a folder for journals, which is gone afterwards unless we are killed or fail."""
    folder = _new_folder()
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try_lock(lock)
    write_card(folder, command)
    try:
        yield folder
    finally:
        os.close(lock)
    shutil.rmtree(folder, ignore_errors=True)


def write_card(folder: Path, command: Sequence[str]) -> None:
    """Leave a word on whose run this is, unless there is one."""
    card = {
        "command": " ".join(command),
        "started": time.time(),
        "watcher": os.getpid(),
        "here": str(Path.cwd()),
    }
    with suppress(FileExistsError), (folder / CARD).open("x", encoding="utf-8") as file:
        json.dump(card, file)


def _new_folder() -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix=PREFIX))
    except OSError as error:
        raise cannot_keep(error) from error


def cannot_keep(error: OSError) -> UnreadableError:
    """Return the sentence for a run that could keep no journal."""
    return UnreadableError(
        f"cannot keep a journal: {error.strerror or error}; "
        f"set TMPDIR to a folder that can be written"
    )


def leftovers() -> list[Leftover]:
    """Return what killed runs of this user have left behind, the oldest first."""
    folders = Path(tempfile.gettempdir()).glob(f"{PREFIX}*")
    found = [_leftover(folder) for folder in folders if _is_abandoned(folder)]
    return sorted((one for one in found if one), key=lambda one: one.started)


def _leftover(folder: Path) -> Leftover | None:
    """Return what a run left, if its card says so in words that can be used."""
    try:
        card = json.loads(read_whole(folder / CARD))
        when = float(card["started"])
        datetime.fromtimestamp(when).astimezone()  # the year 300,000 is no date
        here = Path(card["here"])
        return Leftover(folder, str(card["command"]), when, int(card["watcher"]), here)
    except (OSError, ValueError, LookupError, TypeError, ArithmeticError):
        return None


def _is_abandoned(folder: Path) -> bool:
    """Whether nobody holds the run's lock any more; a lock dies with its process."""
    try:
        if not is_private(folder):
            return False
        lock = os.open(folder / LOCK, os.O_RDWR | NO_WAIT)
    except (AttributeError, OSError):  # Windows has no owners: nothing is called abandoned there
        return False
    try:
        return try_lock(lock)
    finally:
        os.close(lock)


def is_private(folder: Path) -> bool:
    """Whether this is a folder, no link to one, of this user and nobody else's to look into."""
    found = folder.lstat()
    owned = found.st_uid == user_number()
    return stat.S_ISDIR(found.st_mode) and owned and not stat.S_IMODE(found.st_mode) & 0o077
