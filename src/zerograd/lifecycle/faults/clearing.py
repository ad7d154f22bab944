"""Faults of clearing: too late, too early, at the wrong place, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.habits import ENOUGH
from zerograd.lifecycle.step_facts import left_behind
from zerograd.lifecycle.transitions import State
from zerograd.lifecycle.verdicts import clearing as verdicts

if TYPE_CHECKING:
    from zerograd.lifecycle.events import Backward
    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.settlement import Settlement
    from zerograd.lifecycle.verdicts.facts import StepFacts


def missing_zero(settlement: Settlement, facts: StepFacts) -> Fault | None:
    """State fresh deposits on top of spent ones, at the deposit."""
    verdict = verdicts.missing_zero(facts)
    if verdict is None:
        return None
    mixed = settlement.owner.holding(State.MIXED)
    sources = {source for cell in mixed for source in cell.account.lots}
    fresh = [event for source, event in settlement.window.lying.items() if source in sources]
    deposit = _own(settlement, fresh)
    return settlement.fault(
        verdict,
        deposit.place,
        ("spent here", mixed[0].account.spent_at),
        ("deposited again here", deposit.place),
        last_clear=mixed[0].cleared_at,
    )


def _own(settlement: Settlement, fresh: list[Backward]) -> Backward:
    """Return the oldest deposit that no other optimizer spends, else the oldest."""
    for event in fresh:
        if not settlement.books.others_spend(event.source, settlement.owner):
            return event
    return fresh[0]


def leaked_deposit(settlement: Settlement, facts: StepFacts) -> Fault | None:
    """State a step that spends what another optimizer's backward left behind, at the step."""
    verdict, newest = verdicts.leaked_deposit(facts), settlement.window.newest
    if verdict is None or newest is None:
        return None
    return settlement.fault(
        verdict,
        settlement.event.place,
        ("left behind here", left_behind(settlement)[0]),
        ("deposited here", newest.place),
    )


def zero_before_step(settlement: Settlement, facts: StepFacts) -> Fault | None:
    """State a clear that threw away all that the step should have spent, at the clear."""
    verdict, window = verdicts.zero_before_step(facts), settlement.window
    if verdict is None or window.thrown_by is None:
        return None
    thrown = [("deposited here", event.place) for event in window.wasted.values()]
    return settlement.fault(
        verdict,
        window.thrown_by.place,
        *thrown,
        ("cleared here", window.thrown_by.place),
        ("nothing left to spend here", settlement.event.place),
    )


def zero_inside_window(settlement: Settlement) -> Fault | None:
    """State micro-batches that throw away the one before, at the clear."""
    habits, window = settlement.habits, settlement.window
    if habits.thrown is None:
        return None
    made, _, place = habits.thrown
    verdict = verdicts.zero_inside_window(
        all_but_last_thrown=habits.always_thrown and habits.windows >= ENOUGH,
        used=False,  # a window in which something used them is none of these
        meant=window.newest is not None and window.newest.loop.meant,
    )
    if verdict is None:
        return None
    spent = ("the last of them is spent here", settlement.event.place)
    return settlement.fault(verdict, place, spent, deposits=made)


def zero_outside_closure(settlement: Settlement) -> Fault | None:
    """State a later evaluation of a closure that deposited on an earlier one, at the deposit."""
    mixed = settlement.owner.holding(State.MIXED)
    verdict = verdicts.zero_outside_closure(evaluated_again=True, holds_mixed=bool(mixed))
    if verdict is None:
        return None
    deposit = next(iter(mixed[0].account.lots.values())).newest
    evaluates = ("evaluates the closure again", settlement.event.place)
    return settlement.fault(verdict, deposit.place, evaluates)


def wasted_deposit(settlement: Settlement) -> Fault | None:
    """State a source that is thrown away in every window, at its deposit."""
    for source, event in settlement.window.wasted.items():
        verdict = verdicts.wasted_deposit(
            in_every_window=settlement.habits.wasted.get(source, 0) >= ENOUGH,
            used=False,  # what served something is not counted as wasted
        )
        if verdict is not None and settlement.owner.say_once(verdict.rule, source):
            return settlement.fault(verdict, event.place)
    return None
