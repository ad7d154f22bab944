"""ZG102: a clear between backward and the step throws away what should be spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lint.checks.case import Case, Draft, callers, skipped_deposit, spot
from zerograd.lint.knowledge import Effect
from zerograd.lint.syntax import text

if TYPE_CHECKING:
    from zerograd.lint.events.event import Event
    from zerograd.lint.interpret.apply import Observation


def judge(seen: Observation, case: Case) -> Draft | None:
    """Nothing lies there because a clear threw every deposit away, unused."""
    account = seen.account
    if not account.empty or not account.thrown or account.written:
        return None
    clear = case.event(account.thrown[-1].clear)
    if clear.everything:  # a clear over a list that nobody can tell from a part
        return None
    if any(item.used or not case.owned(item.source, seen.at) for item in account.thrown):
        return None
    # What another optimizer spent may be thrown away, unless the step comes at once.
    if any(item.shared for item in account.thrown) and not _is_next(clear, seen.event, case):
        return None
    if skipped_deposit(seen, case):
        return None
    made = case.event(account.thrown[-1].source)
    message = (
        f"`{text(clear.node)}` throws away the gradients before "
        f"`{text(seen.event.node)}` can spend them"
    )
    evidence = [
        ("deposited here", spot(made)),
        ("nothing left to spend here", spot(seen.event)),
        *callers(clear),
    ]
    return Draft(
        "zero-before-step",
        spot(clear),
        message,
        case.severity(seen.at),
        f"move `{text(clear.node)}` before the backward",
        evidence,
        (clear, made, seen.event),
        seen.at,
    )


def _is_next(clear: Event, step: Event, case: Case) -> bool:
    """Tell whether nothing but other clears and steps stands between the two."""
    between = case.plan.events[clear.number + 1 : step.number]
    return (
        step.number > clear.number
        and step.context == clear.context
        and all(event.effect in (Effect.CLEAR, Effect.STEP) for event in between)
    )
