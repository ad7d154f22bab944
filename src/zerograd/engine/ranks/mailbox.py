"""Numbers of ranks on one machine, left for each other in shared memory.

A sum over gloo takes half a millisecond of a core on every rank: it goes several times to and fro,
through threads of its own. Ranks of one machine leave their numbers where the others can read them,
which takes some microseconds. What DDP reduced in a backward it reduced after all ranks had left
theirs, so that nobody waits for them then.

Every rank has two slots, used in turn. Whoever leaves message 7 has read message 6 of all ranks, so
all of them have read message 5, which lay where 7 is written.
"""

from __future__ import annotations

import mmap
import os
import struct
import tempfile
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import torch

from zerograd import system

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.distributed import ProcessGroup

CONTENT = struct.Struct("<qdd")
"""Which message it is, and its two numbers."""

CHECK = struct.Struct("<I")
"""A slot that is read while it is written fails this."""

SLOT = 32
INVITATION = 128
"""Bytes that say where the mailbox is, and on which machine."""

BRIEFLY, LONG = 20e-6, 1e-3
"""Seconds between two looks at a slot, at first and later."""

LOOKS = 50
"""So many times it is looked at before anybody asks whether its rank lives."""


class GoneError(RuntimeError):
    """A rank ended, or left nothing for as long as its group waits."""


class Mailbox:
    """One place for each rank, in a file that has no name any more."""

    def __init__(self, file: int, own: int, size: int) -> None:
        self._file = file
        self._own, self._size = own, size
        self._memory = mmap.mmap(file, 2 * size * SLOT)
        weakref.finalize(self, os.close, file)
        self._sent = 0
        # The kernel lets go of it when this process ends, however it ends.
        system.hold_byte(file, own)

    def leave(self, first: float, second: float) -> int:
        """Leave two numbers for all ranks; return which message it is."""
        self._sent += 1
        content = CONTENT.pack(self._sent, first, second)
        start = self._start(self._sent, self._own)
        self._memory[start : start + SLOT] = (content + CHECK.pack(crc32(content))).ljust(SLOT)
        return self._sent

    def sums(self, message: int, timeout: Callable[[], float]) -> tuple[float, float]:
        """Return the sums of a message over all ranks, once all of them have left theirs."""
        found = [self._found(message, place, timeout) for place in range(self._size)]
        return sum(first for first, _ in found), sum(second for _, second in found)

    def _found(self, message: int, place: int, timeout: Callable[[], float]) -> tuple[float, float]:
        start = self._start(message, place)
        looks, deadline, gone = 0, 0.0, ""
        while True:
            slot = self._memory[start : start + SLOT]
            number, first, second = CONTENT.unpack_from(slot)
            check = CHECK.unpack_from(slot, CONTENT.size)
            if number == message and check == (crc32(slot[: CONTENT.size]),):
                return first, second
            if gone:
                raise GoneError(gone)
            looks += 1
            time.sleep(BRIEFLY if looks < LOOKS else LONG)
            if looks < LOOKS:
                continue
            deadline = deadline or time.monotonic() + timeout()
            # It is looked at once more: the rank may have left its numbers, and ended.
            if not self._lives(place):
                gone = "the other process has ended"
            elif time.monotonic() > deadline:
                gone = "timed out"

    def _start(self, message: int, place: int) -> int:
        return (message % 2 * self._size + place) * SLOT

    def _lives(self, place: int) -> bool:
        return system.is_byte_held(self._file, place)


def mailbox(group: ProcessGroup, own: int, size: int) -> Mailbox | None:
    """Open a mailbox of all ranks of a group, which all call this; None if one of them cannot.

    The first rank makes a file and invites the others; when all have opened it, its name is gone.
    """
    path, file = _made(size) if own == 0 else (None, -1)
    told = bytearray(_invitation(path) if own == 0 else bytes(INVITATION))
    row = torch.frombuffer(told, dtype=torch.uint8)
    group.broadcast([row], _from_first()).wait()
    if own:
        file = _opened(bytes(told))
    box = None
    with suppress(OSError, ValueError):
        box = Mailbox(file, own, size) if file >= 0 else None
    able = torch.tensor([float(box is not None)], dtype=torch.float64)
    group.allreduce([able]).wait()
    if path is not None:
        with suppress(OSError):
            path.unlink()
    return box if able.item() == size else None


def _made(size: int) -> tuple[Path | None, int]:
    if not system.machine_name():
        return None, -1
    try:
        file, name = tempfile.mkstemp(prefix="zerograd-", dir=system.SHARED_MEMORY)
        os.ftruncate(file, 2 * size * SLOT)
    except OSError:
        return None, -1
    return Path(name), file


def _invitation(path: Path | None) -> bytes:
    words = "" if path is None else f"{path} {system.machine_name()}"
    return words.encode().ljust(INVITATION)[:INVITATION]


def _opened(invitation: bytes) -> int:
    """Open the file of an invitation, -1 if it is that of another machine."""
    words = invitation.decode().split()
    here = system.SHARED_MEMORY
    if words and words[1] == system.machine_name() and Path(words[0]).parent == here:
        with suppress(OSError):
            return os.open(words[0], os.O_RDWR)
    return -1


def _from_first() -> Any:
    options = torch.distributed.BroadcastOptions()
    options.rootRank, options.rootTensor = 0, 0
    return options
