"""What operating systems do differently: locks, forks, signals, and the death of a parent.

Linux is where it is tested; each function says what it does where a system lacks its means. The
rest of the package asks nothing but this module which system it is on.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PR_SET_PDEATHSIG = 1

DELETED = Path(os.sep) / "a deleted folder"
"""No path lies below it, so that all are shown whole."""

PASSED_ON = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCONT", "SIGBREAK")
"""What a user or a scheduler sends to a training; a terminal's SIGINT reaches the script itself."""


def here() -> Path:
    """Return the working directory; where the program deleted its own, one that has no files."""
    try:
        return Path.cwd()
    except OSError:
        return DELETED


def has_locks() -> bool:
    """Whether one process can tell whether another still holds a file."""
    return fcntl is not None


def lock(descriptor: int) -> None:
    """Take a file for this process alone; BlockingIOError if another process holds it."""
    if fcntl is None:
        raise OSError("this system has no locks")
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def try_lock(descriptor: int) -> bool:
    """Take a file for this process alone, if nobody holds it; without locks nobody ever can."""
    try:
        lock(descriptor)
    except OSError:
        return False
    return True


def share_lock(descriptor: int) -> None:
    """Hold a file together with others, once nobody has it alone."""
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_SH)


def unlock(descriptor: int) -> None:
    """Let a file go."""
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def user_number() -> int:
    """Return a number for this user; 0 where users have none."""
    return os.getuid() if hasattr(os, "getuid") else 0


def in_forked_children(call: Callable[[], None]) -> None:
    """Call this in every process that is forked from here; where none can be, do nothing."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=call)


def death_wish() -> Callable[[], None]:
    """Return what a child calls in order to die with us: killed for good, we can pass nothing on.

    Only Linux can be asked for that. Elsewhere a script outlives a watcher that was killed.
    """
    if sys.platform != "linux":
        return _nothing
    from ctypes import CDLL

    prctl, watcher = CDLL(None).prctl, os.getpid()

    def wish() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != watcher:  # we were killed before the wish was made
            os._exit(1)

    return wish


def _nothing() -> None:
    """Do nothing."""


def waits_for_signals() -> bool:
    """Whether a process can wait for signals and children at once: Linux can, macOS cannot."""
    return hasattr(signal, "sigwaitinfo")


@contextmanager
def passing_on(child: subprocess.Popen[bytes]) -> Iterator[None]:
    """Pass on what is sent to us while a child runs; it is in the terminal's group like us.

    A Ctrl-C therefore reaches it anyway, and must not end us before it: we have to report.
    """
    names = [name for name in ("SIGINT", *PASSED_ON) if hasattr(signal, name)]
    numbers = [getattr(signal, name) for name in names]

    def pass_on(number: int, frame: object) -> None:
        del frame
        if number != signal.SIGINT and child.poll() is None:
            child.send_signal(number)

    before: dict[int, Any] = {number: signal.signal(number, pass_on) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
