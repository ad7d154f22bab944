"""ZG102: a clear between backward and the step throws away what should be spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lint.checks.case import Case, Draft, callers, skipped_deposit, spot
from zerograd.lint.syntax import text

if TYPE_CHECKING:
    from zerograd.lint.interpret.apply import Observation


def judge(seen: Observation, case: Case) -> Draft | None:
    """Nothing lies there because a clear threw every deposit away, unused."""
    account = seen.account
    if not account.empty or not account.thrown or account.written:
        return None
    if any(item.used or not case.owned(item.source, seen.at) for item in account.thrown):
        return None
    if skipped_deposit(seen, case):
        return None
    clear = case.event(account.thrown[-1].clear)
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
