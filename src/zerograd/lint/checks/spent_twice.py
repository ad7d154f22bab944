"""ZG302: a second step spends deposits that the optimizer has already spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import spending
from zerograd.lint.checks.evidence.case import (
    Case,
    Draft,
    callers,
    loops_around,
    skipped_deposit,
    spot,
    trail,
    unsaid,
)
from zerograd.lint.confidence import is_silent
from zerograd.lint.events.event import SourceEvent
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.program.syntax import text

if TYPE_CHECKING:
    from zerograd.lifecycle.verdicts.facts import StepFacts
    from zerograd.lint.interpret.apply_event import Observation


def judge(seen: Observation, case: Case, facts: StepFacts) -> Draft | None:
    """Only stale deposits lie there, whichever way the step is reached."""
    verdict = spending.spent_twice(facts)
    if verdict is None:
        return None
    verdict = verdict.assuming(
        {
            "one-optimizer": not case.holder(seen.at).summary,
            "no-deposit-skipped": not skipped_deposit(seen, case),
            "not-a-flush": not _flushes(seen, case),
            "in-a-training-loop": not _repeats_alone(seen, case),
        }
    )
    if is_silent(verdict):
        return unsaid(verdict, seen.event, seen.at)
    label = case.holder(seen.at).label
    spender = case.event(seen.account.spender)
    message = f"`{text(seen.event.node)}` spends gradients that `{label}` has already spent"
    evidence = [("spent here first", spot(spender)), *callers(seen.event)]
    return Draft(
        verdict,
        spot(seen.event),
        message,
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
        if isinstance(step.what, SourceEvent) and step.what.number == seen.account.spender:
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
        if event.effect is CallEffect.DEPOSIT
        for loop in loops
    )
