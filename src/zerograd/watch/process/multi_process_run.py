"""Let several watchers of one run, as torchrun starts them, share a folder; the last one reports.

Each watcher holds a shared lock while it watches. The one that releases its lock and finds no
other is the last. Locks die with their process, so no watcher waits for one that was killed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from zerograd import system
from zerograd.record import record
from zerograd.watch.process.run_folders import (
    LOCK,
    PREFIX,
    cannot_keep,
    is_private,
    new_run,
    write_card,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LATE = 10.0
"""Seconds that the last watcher waits for those which have not come yet."""

NAMES = 64
"""Folders that are tried before each watcher reports for itself."""


@record(frozen=True)
class Launch:
    """What torchrun started together on this machine."""

    name: str
    """The same for all of its processes, and for nobody else's."""

    size: int


def launch_here() -> Launch | None:
    """Return by what this process was started together with others."""
    run, size = os.environ.get("TORCHELASTIC_RUN_ID"), os.environ.get("LOCAL_WORLD_SIZE", "1")
    if run is None or not size.isdigit() or int(size) < 2 or not system.has_locks():
        return None  # without file locks every watcher reports what it saw itself
    attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    name = f"{system.user_number()}-{os.getppid()}-{attempt}-{crc32(run.encode()):08x}"
    return Launch(name, int(size))


class LoneRun:
    """The only watcher of a run."""

    in_company = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def leave(self) -> bool:
        """Return whether to report: always."""
        return True

    def clean_up(self) -> None:
        """Forget the journals, which were reported."""
        shutil.rmtree(self.folder, ignore_errors=True)


class RunMember(LoneRun):
    """One of several watchers."""

    in_company = True

    def __init__(self, folder: Path, lock: int, size: int) -> None:
        super().__init__(folder)
        self._lock = lock
        self._size = size
        self.is_last: bool | None = None
        """Whether it was the last to leave; None while it stays."""

    def leave(self) -> bool:
        """Let go, once; return whether nobody else is left to report."""
        if self.is_last is not None:
            return False
        self.is_last = self._finds_nobody()
        return self.is_last

    def close(self) -> None:
        """Let go for good."""
        os.close(self._lock)

    def _finds_nobody(self) -> bool:
        deadline = time.monotonic() + LATE
        while True:
            system.unlock(self._lock)
            if not system.try_lock(self._lock):
                return False
            come = sum(1 for _ in self.folder.glob("watcher-*"))
            if come >= self._size or time.monotonic() > deadline:
                return True
            system.unlock(self._lock)
            time.sleep(0.1)


@contextmanager
def begun_run(command: Sequence[str]) -> Iterator[LoneRun]:
    """Yield a place for journals, shared with the watchers that were started together with us."""
    launch = launch_here()
    if launch is None:
        with new_run(command) as folder:
            yield LoneRun(folder)
        return
    member = _join(launch, command)
    if member is None:
        with new_run(command) as folder:
            yield LoneRun(folder)
        return
    try:
        yield member
    finally:
        member.close()


def _join(launch: Launch, command: Sequence[str]) -> RunMember | None:
    """Join the others; None where every name that they would look for is somebody else's.

    Anybody can foretell the names. So each folder is looked at before it is used, and one that is
    not ours alone is passed over: by all members alike, because it is not ours for any of them.
    """
    name = Path(tempfile.gettempdir()) / f"{PREFIX}{launch.name}"
    names = [name, *(Path(f"{name}-{number}") for number in range(1, NAMES))]
    return next((member for one in names if (member := _join_in(one, launch, command))), None)


def _join_in(folder: Path, launch: Launch, command: Sequence[str]) -> RunMember | None:
    while True:
        try:
            with suppress(FileExistsError):
                folder.mkdir(mode=0o700)
            if not is_private(folder):
                return None
            (folder / f"watcher-{os.getpid()}").touch()
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except FileNotFoundError as error:
            if not folder.parent.exists():
                raise cannot_keep(error) from error
            continue  # the last of an earlier company is just cleaning up
        except OSError as error:
            raise cannot_keep(error) from error
        system.share_lock(lock)
        if _is(lock, folder / LOCK):
            write_card(folder, command)
            return RunMember(folder, lock, launch.size)
        os.close(lock)


def _is(lock: int, path: Path) -> bool:
    """Whether the file that we hold is still the one that others will find."""
    try:
        return os.path.samestat(os.fstat(lock), path.stat())
    except FileNotFoundError:
        return False
