"""How a script ended, and what its exception shows about gradients: none-grad, leaf-replaced."""

from __future__ import annotations

import sys
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING

from zerograd.hooks.call_site import is_users_frame, line_of
from zerograd.lifecycle import Fault, Severity
from zerograd.source.lines import CallSite, Line
from zerograd.source.manual_gradients import leaf_replacement, reads_gradient_on

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

NO_GRAPH = "does not require grad and does not have a grad_fn"


def uncaught() -> BaseException | None:
    """Return the exception that ended the script, once the interpreter has printed it."""
    return getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)


def keep_interrupted() -> None:
    """Let Python end as one that Ctrl-C ended, if it did.

    It asks how the last text that it evaluated ended, and a report may have evaluated another:
    every `namedtuple` does.
    """
    if isinstance(uncaught(), KeyboardInterrupt):
        with suppress(KeyboardInterrupt):
            exec("raise KeyboardInterrupt")


def faults_of(error: BaseException | None) -> Iterator[Fault]:
    """Yield the fault that an uncaught exception shows, if it shows one."""
    line = _last_users_line(error.__traceback__) if error is not None else None
    if line is None:
        return
    reads_none = isinstance(error, (AttributeError, TypeError)) and "NoneType" in str(error)
    if reads_none and reads_gradient_on(line):
        replaced = leaf_replacement(line)
        rule = "none-grad" if replaced is None else "leaf-replaced"
        yield _fault(rule, line if replaced is None else replaced)
    elif isinstance(error, RuntimeError) and NO_GRAPH in str(error):
        replaced = leaf_replacement(line)
        if replaced is not None:
            yield _fault("leaf-replaced", replaced)


def _fault(rule: str, line: Line) -> Fault:
    return Fault(rule=rule, severity=Severity.ERROR, place=CallSite(line))


def _last_users_line(trace: TracebackType | None) -> Line | None:
    found = None
    for frame, number in traceback.walk_tb(trace):
        if is_users_frame(frame):
            found = line_of(frame, number)
    return found
