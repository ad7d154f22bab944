"""ZG103: a clear at each micro-batch throws a window's deposits away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lint.checks.case import Case, Draft, callers, spot
from zerograd.lint.checks.windows import Window, each_micro_batch, windows
from zerograd.lint.knowledge import Effect
from zerograd.lint.syntax import text
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.lint.events.event import Event


def check(case: Case) -> Iterator[Draft]:
    """Windows whose deposits some clear in the deposit's own loop throws away."""
    for window in windows(case):
        clear = _thrower(case, window)
        if clear is not None:
            yield _draft(case, window, clear)


def _thrower(case: Case, window: Window) -> Event | None:
    """Return the clear that discards earlier deposits of the window, unused."""
    seen = [
        item
        for item in case.meetings(window.step, window.at)
        if any(fresh.source == window.deposit.number for fresh in item.account.fresh)
    ]
    if any(
        (lost.used or lost.shared) and lost.source == window.deposit.number
        for meeting in seen
        for lost in meeting.account.thrown
    ):
        return None
    for meeting in seen:
        if meeting.account.fresh[0].many:
            return None
        for lost in meeting.account.thrown:
            clear = case.event(lost.clear)
            if lost.source == window.deposit.number and not lost.used and _each(clear, window):
                return clear
    return None


def _each(clear: Event, window: Window) -> bool:
    if window.gated:
        # Accelerate gates the optimizer's own zero_grad; a module's is not gated.
        return clear.effect is Effect.CLEAR and not clear.targets
    return each_micro_batch(clear, window)


def _draft(case: Case, window: Window, clear: Event) -> Draft:
    message = (
        f"`{text(clear.node)}` clears at each micro-batch: "
        f"`{text(window.step.node)}` spends only the last one"
    )
    evidence = [
        ("deposited here", spot(window.deposit)),
        ("spent here", spot(window.step)),
        *callers(clear),
    ]
    return Draft(
        "zero-inside-window",
        spot(clear),
        message,
        case.severity(window.at, Severity.ERROR),
        f"clear once a window, after `{text(window.step.node)}`",
        evidence,
        (clear, window.step, window.deposit),
        window.at,
    )
