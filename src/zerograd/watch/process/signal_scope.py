"""Tell a signal that was sent to us alone from one that was sent to our whole process group.

A signal does not say. So a process of ours sits in the same group with all signals blocked, does
nothing, and is asked whether it has received the same one. What it has received, the script has
received too; only the rest is forwarded. Its command line ends like the script's: `pkill -f
train.py` reaches it where it reaches the script; `pkill -f "zerograd watch"` reaches neither.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SPREAD = 0.05
"""Seconds in which a sender reaches all that it means to: `pkill` goes from one to the next."""

# Answers each byte with the numbers of the signals that have come since the last.
PROBE = """
import os, signal
while os.read(0, 1):
    came = signal.sigpending()
    for one in came:
        signal.sigtimedwait({one}, 0)
    os.write(1, bytes([0, *came]))
"""


class GroupProbe:
    """A process that shares our group and waits to be asked."""

    def __init__(self, like: Sequence[str], before_start: Callable[[], None]) -> None:
        """Start it, with the signals blocked that are blocked here; `like` is the script's own."""
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", PROBE, *like],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            preexec_fn=before_start,
        )

    def has_received(self, number: int) -> bool:
        """Whether this signal reached the whole group; asked once for each that reached us."""
        time.sleep(SPREAD)
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(b"?")
            return number in stdout.read(64)
        except OSError:  # it was killed: then so, it seems, is everything
            return False

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()
