"""Run the script where signals can be waited for, and pass on those that were sent to us alone.

Reached where `system.waits_for_signals()` says so: on Linux.

A signal does not say whether our whole process group received it. So a process of ours sits in the
same group with all signals blocked, does nothing, and is asked whether it has received the same
one. What it has received, the script has received too; only the rest is forwarded. Its command
line ends like the script's: `pkill -f train.py` reaches it where it reaches the script; `pkill -f
"zerograd watch"` reaches neither.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from zerograd import system

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# What a user or a scheduler sends to a training; each reaches the script.
FORWARDED = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCONT")
    if hasattr(signal, name)
)

GRACE = 15.0
"""Seconds after SIGTERM until a script is overdue; torchrun sends SIGKILL after 30."""

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


def run_with_signals(
    command: list[str],
    environment: dict[str, str],
    overdue: Callable[[], None] | None,
    started: Callable[[], None],
    like: Sequence[str],
) -> int:
    """Run a command with every signal that is sent to us alone; return its status."""
    waited = {*FORWARDED, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited)
    # Inherited as ignored, the system would forget how the child ended.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    die_with_us = system.death_wish()

    def like_a_bare_start() -> None:
        die_with_us()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    try:
        # `preexec_fn` is unsafe only with threads, and we have none yet.
        # `close_fds`: a descriptor that the shell opened for the script, as in `3>log`, is its own.
        # Ours are not inheritable, as all that Python opens.
        child = subprocess.Popen(
            command, env=environment, preexec_fn=like_a_bare_start, close_fds=False
        )
        # After the script: what reaches one of them in between comes twice rather than never.
        probe = GroupProbe(like, die_with_us)
        try:
            started()
            _wait(child, waited, overdue, probe)
        finally:
            probe.close()
        return child.returncode
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _wait(
    child: subprocess.Popen[bytes],
    waited: set[signal.Signals],
    overdue: Callable[[], None] | None,
    probe: GroupProbe,
) -> None:
    """Wait for the script's end, and pass on what is sent to us alone meanwhile."""
    asked = False
    while child.poll() is None:
        if asked and overdue is not None:
            received = signal.sigtimedwait(waited, GRACE)
            if received is None:
                overdue()
                overdue = None
                continue
        else:
            received = signal.sigwaitinfo(waited)
        number = received.si_signo
        if number != signal.SIGCHLD and not probe.has_received(number) and child.poll() is None:
            child.send_signal(number)
        asked |= number == signal.SIGTERM
