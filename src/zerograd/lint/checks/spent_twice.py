"""ZG302: a second step spends deposits that the optimizer has already spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lint.checks.case import (
    Case,
    Draft,
    callers,
    loops_around,
    skipped_deposit,
    spot,
    trail,
)
from zerograd.lint.events.event import Event
from zerograd.lint.knowledge import Effect
from zerograd.lint.syntax import text

if TYPE_CHECKING:
    from zerograd.lint.interpret.apply import Observation


def judge(seen: Observation, case: Case) -> Draft | None:
    """Only stale deposits lie there, whichever way the step is reached."""
    account = seen.account
    if case.holder(seen.at).summary:
        return None
    if not account.stale or account.fresh or account.extra or account.written or account.moved:
        return None
    if skipped_deposit(seen, case) or _flushes(seen, case) or _repeats_alone(seen, case):
        return None
    label = case.holder(seen.at).label
    spender = case.event(account.spender)
    message = f"`{text(seen.event.node)}` spends gradients that `{label}` has already spent"
    evidence = [("spent here first", spot(spender)), *callers(seen.event)]
    return Draft(
        "spent-twice",
        spot(seen.event),
        message,
        case.severity(seen.at),
        "step once per backward, or clear and deposit again before this step",
        evidence,
        (seen.event, spender),
        seen.at,
    )


def _flushes(seen: Observation, case: Case) -> bool:
    """Tell whether a step after a loop only takes what the loop's own step has left."""
    if seen.event.number == seen.account.spender:
        return False
    for step in trail(seen.state.trail):
        if isinstance(step.what, Event) and step.what.number == seen.account.spender:
            return False
        if step.what == "round":
            return any(
                other.account.fresh or other.account.extra
                for other in case.meetings(seen.event, seen.at)
            )
    return False


def _repeats_alone(seen: Observation, case: Case) -> bool:
    """Tell whether a step repeats where nothing trains: without any loop, or any deposit in it."""
    loops = loops_around(seen.event)
    if not loops:
        return not case.repeated and not any(map(loops_around, case.plan.events))
    return not any(
        loop in loops_around(event)
        for event in case.plan.events
        if event.effect is Effect.DEPOSIT
        for loop in loops
    )
