"""Start the script as Python itself would, wait for it, and return its exit status.

The script runs in a child whose Python loads `bootstrap/sitecustomize.py` by itself. The parent
stays outside: whatever ends the child (an exception, Ctrl-C, SIGTERM, `os._exit`, SIGKILL), the
journal is still there, and so is the parent to report it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from zerograd import system
from zerograd.errors import ScriptError
from zerograd.watch.process.environment import FOLDER, OPTIONS
from zerograd.watch.process.options import to_text
from zerograd.watch.process.signal_scope import GroupProbe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zerograd.watch.process.options import ProcessOptions

BOOTSTRAP = Path(__file__).parent / "bootstrap"

# What a user or a scheduler sends to a training; each reaches the script.
FORWARDED = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCONT")
    if hasattr(signal, name)
)

GRACE = 15.0
"""Seconds after SIGTERM until a script is overdue; torchrun sends SIGKILL after 30."""


def nothing_more() -> None:
    """Do nothing."""


def run_script(
    arguments: Sequence[str],
    folder: Path,
    options: ProcessOptions,
    overdue: Callable[[], None] | None = None,
    started: Callable[[], None] = nothing_more,
) -> int:
    """Run `python ARGUMENTS...` under watch and return its status as `subprocess` spells it.

    `overdue` is called when the script was asked to end and has not: what asks may soon kill us.
    `started` is called once it runs, and may start threads.
    """
    if sys.flags.ignore_environment or sys.flags.no_site:
        raise ScriptError(
            "watching reaches the script through PYTHONPATH and site, which -E, -I and -S turn "
            "off; start zerograd without them"
        )
    command = [sys.executable, *interpreter_flags(), *arguments]
    environment = watched_environment(os.environ, folder, options)
    if system.waits_for_signals():
        return _run_with_signals(command, environment, overdue, started, like=arguments)
    child = subprocess.Popen(command, env=environment)
    started()
    with system.passing_on(child):
        return child.wait()


def watched_environment(
    bare: Mapping[str, str], folder: Path, options: ProcessOptions
) -> dict[str, str]:
    """Return the environment in which Python loads our bootstrap first."""
    paths = [str(BOOTSTRAP), *filter(None, [bare.get("PYTHONPATH")])]
    return {
        **bare,
        "PYTHONPATH": os.pathsep.join(paths),
        FOLDER: str(folder),
        OPTIONS: to_text(options),
    }


def interpreter_flags() -> list[str]:
    """Return the options that this Python was started with, so that the script gets them too."""
    # Private, but what multiprocessing itself starts its children with since 3.2.
    return list(subprocess._args_from_interpreter_flags())  # type: ignore[attr-defined]  # noqa: SLF001


def _run_with_signals(
    command: list[str],
    environment: dict[str, str],
    overdue: Callable[[], None] | None,
    started: Callable[[], None],
    like: Sequence[str],
) -> int:
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


def exit_like(status: int) -> NoReturn:
    """End this process as the script ended: with its code, or by its signal."""
    if status >= 0:
        sys.exit(status)
    _without_core_dump()
    if -status != signal.SIGKILL:
        signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
    sys.exit(128 - status)  # the signal was blocked or ignored: the shell's spelling of it


def _without_core_dump() -> None:
    # The script's own crash already left one.
    try:
        import resource
    except ImportError:  # Windows has neither the module nor core files
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
