"""What operating systems do differently: locks, forks, signals, owners, and a parent's death.

Linux is where it is tested; each function says what it does where a system lacks its means. The
rest of the package asks nothing but this module what a system can do: tests/test_system.py reads
every module for it, and lists `watch/process/signal_scope.py`, which only Linux reaches.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
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
NO_LOCKS = "this system has no locks"

DELETED = Path(os.sep) / "a deleted folder"
"""No path lies below it, so that all are shown whole."""

NO_WAIT: int = getattr(os, "O_NONBLOCK", 0)
"""Opened so, a planted pipe is not waited for; 0 where files cannot be opened so."""

SHARED_MEMORY = Path("/dev/shm")
"""A folder in the memory of one machine, and never on a disk that several share; Linux has it."""

BOOT = Path("/proc/sys/kernel/random/boot_id")

ENDINGS = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that end a program from outside."""

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
        raise OSError(NO_LOCKS)
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


def machine_name() -> str:
    """Return a name that this machine has until it is started again; "" where it has none."""
    try:
        return BOOT.read_text().strip()
    except OSError:
        return ""


def hold_byte(descriptor: int, at: int) -> None:
    """Lock one byte of a file until this process ends, however it ends; OSError if it cannot be."""
    if fcntl is None:
        raise OSError(NO_LOCKS)
    fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, at)


def is_byte_held(descriptor: int, at: int) -> bool:
    """Whether another process that lives has locked a byte of a file."""
    try:
        hold_byte(descriptor, at)
    except OSError:
        return True
    if fcntl is not None:
        fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, at)
    return False


def user_number() -> int:
    """Return a number for this user; 0 where users have none."""
    return os.getuid() if hasattr(os, "getuid") else 0


def has_owners() -> bool:
    """Whether files tell to whom they belong; on Windows none does."""
    return hasattr(os, "getuid")


def give_file(descriptor: int, user: int, group: int) -> None:
    """Give a file to a user and a group, -1 for neither; without owners there is nothing to do."""
    if hasattr(os, "fchown"):
        os.fchown(descriptor, user, group)


def set_mode(descriptor: int, mode: int) -> None:
    """Set a file's permissions, where an open file can be asked for that."""
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)


def copy_attributes(old: int, new: int) -> None:
    """Copy the extended attributes of a file, such as access lists, as far as they can be."""
    if not hasattr(os, "listxattr"):
        return
    for attribute in os.listxattr(old):
        with suppress(OSError):  # some only root may set, some file systems have none
            os.setxattr(new, attribute, os.getxattr(old, attribute))


def processors() -> int:
    """Return how many processors this process may use; where nobody tells, all of them."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def changes_of_rights() -> list[str]:
    """Return the functions of `os` after which a process may no longer reach its files."""
    names = ("setuid", "seteuid", "setreuid", "setresuid", "chroot")
    return [name for name in names if hasattr(os, name)]


def can_fork() -> bool:
    """Whether a process can be copied as it is, with objects that cannot be pickled."""
    return hasattr(os, "fork")


def memory_comparison() -> Any:
    """Return C's `memcmp`; None where the system does not name its C library so."""
    import ctypes

    try:
        compare = ctypes.CDLL(None).memcmp
    except (AttributeError, OSError, TypeError):
        return None
    compare.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    return compare


@contextmanager
def delayed(*names: str) -> Iterator[None]:
    """Let these signals wait for the end of the block, and reach no process that starts in it.

    In this thread only: where a program has others, one of them may take the signal. Where signals
    cannot be blocked, they come as they come.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    numbers = {getattr(signal, name) for name in names if hasattr(signal, name)}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def end_by(number: int) -> None:
    """End this process by a signal, without a core file; return where the signal is held back."""
    try:
        import resource
    except ImportError:  # Windows has neither the module nor core files
        pass
    else:
        most = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (0, most))
    if number != getattr(signal, "SIGKILL", None):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


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
