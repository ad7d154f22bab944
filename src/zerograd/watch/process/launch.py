"""Start the script as Python itself would, wait for it, and return its exit status.

The script runs in a child whose Python loads `bootstrap/sitecustomize.py` by itself. The parent
stays outside: whatever ends the child (an exception, Ctrl-C, SIGTERM, `os._exit`, SIGKILL), the
journal is still there, and so is the parent to report it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from zerograd import system
from zerograd.errors import ScriptError
from zerograd.watch.process.environment import FOLDER, OPTIONS
from zerograd.watch.process.options import to_text
from zerograd.watch.process.signal_scope import run_with_signals

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zerograd.watch.process.options import ProcessOptions

BOOTSTRAP = Path(__file__).parent / "bootstrap"


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
        return run_with_signals(command, environment, overdue, started, like=arguments)
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


def exit_like(status: int) -> NoReturn:
    """End this process as the script ended: with its code, or by its signal."""
    if status >= 0:
        sys.exit(status)
    system.end_by(-status)  # the script's own crash already left its core file
    sys.exit(128 - status)  # the signal was blocked or ignored: the shell's spelling of it
