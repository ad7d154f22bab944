"""Faults of spending: nothing, twice, or somebody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.transitions import State
from zerograd.lifecycle.verdicts import ownership
from zerograd.lifecycle.verdicts import spending as verdicts
from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.settlement import Settlement
    from zerograd.lifecycle.verdicts.facts import StepFacts


def spent_twice(settlement: Settlement, facts: StepFacts) -> Fault | None:
    """State a step that spends what it already spent, at the second step."""
    verdict = verdicts.spent_twice(facts)
    if verdict is None:
        return None
    stale = settlement.owner.holding(State.STALE)
    return settlement.fault(
        verdict,
        settlement.event.place,
        ("spent here", stale[0].account.spent_at),
        ("spent again here", settlement.event.place),
        partly=facts.holds_others,
    )


def step_without_backward(settlement: Settlement, facts: StepFacts) -> Fault | None:
    """State a step with nothing to spend, where nothing was deposited; as a hint only once."""
    verdict = verdicts.step_without_backward(facts)
    if verdict is None:
        return None
    if verdict.severity is Severity.HINT and not settlement.owner.say_once(verdict.rule):
        return None
    return settlement.fault(verdict, settlement.event.place)


def shared_parameter(settlement: Settlement) -> Fault | None:
    """State deposits spent by two optimizers, two windows running, at the construction."""
    owner = settlement.owner
    verdict = ownership.shared_parameter(spent_by_both=settlement.habits.shared >= 2)
    if verdict is None or not owner.say_once(verdict.rule):
        return None
    others = {
        spender
        for cell in owner.holding(State.STALE)
        for spender in cell.account.spenders - {owner.optimizer}
    }
    built = [(other.place, other) for other in settlement.books.owners.values()]
    return settlement.fault(
        verdict,
        owner.place,
        *(("also held here", place) for place, other in built if other.optimizer in others),
        ("spent a second time here", settlement.event.place),
        partly=bool(owner.holding(State.FRESH) or owner.holding(State.MIXED)),
    )
