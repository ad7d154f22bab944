"""Faults of spending: nothing, twice, or somebody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.transitions import State
from zerograd.lifecycle.verdicts import ownership
from zerograd.lifecycle.verdicts import spending as verdicts
from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.judged_step import JudgedStep
    from zerograd.lifecycle.verdicts.facts import StepFacts


def spent_twice(judged: JudgedStep, facts: StepFacts) -> Fault | None:
    """State a step that spends what it already spent, at the second step."""
    verdict = verdicts.spent_twice(facts)
    if verdict is None:
        return None
    stale = judged.owner.holding(State.STALE)
    return judged.fault(
        verdict,
        judged.event.place,
        ("spent here", stale[0].account.spent_at),
        ("spent again here", judged.event.place),
        partly=facts.holds_others,
    )


def step_without_backward(judged: JudgedStep, facts: StepFacts) -> Fault | None:
    """State a step with nothing to spend, where nothing was deposited; as a hint only once."""
    verdict = verdicts.step_without_backward(facts)
    if verdict is None:
        return None
    if verdict.severity is Severity.HINT and not judged.owner.say_once(verdict.rule):
        return None
    return judged.fault(verdict, judged.event.place)


def shared_parameter(judged: JudgedStep) -> Fault | None:
    """State deposits spent by two optimizers, two windows running, at the construction."""
    owner = judged.owner
    verdict = ownership.shared_parameter(spent_by_both=judged.statistics.shared >= 2)
    if verdict is None or not owner.say_once(verdict.rule):
        return None
    others = {
        spender
        for group in owner.holding(State.STALE)
        for spender in group.account.spenders - {owner.optimizer}
    }
    built = [(other.place, other) for other in judged.books.owners.values()]
    return judged.fault(
        verdict,
        owner.place,
        *(("also held here", place) for place, other in built if other.optimizer in others),
        ("spent a second time here", judged.event.place),
        partly=bool(owner.holding(State.FRESH) or owner.holding(State.MIXED)),
    )
