"""Faults of clearing: too late, too early, at the wrong place, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.step_facts import left_behind
from zerograd.lifecycle.transitions import State
from zerograd.lifecycle.verdicts import clearing as verdicts
from zerograd.lifecycle.window_statistics import ENOUGH

if TYPE_CHECKING:
    from zerograd.lifecycle.events import Backward
    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.judged_step import JudgedStep
    from zerograd.lifecycle.verdicts.facts import StepFacts


def missing_zero(judged: JudgedStep, facts: StepFacts) -> Fault | None:
    """State fresh deposits on top of spent ones, at the deposit."""
    verdict = verdicts.missing_zero(facts)
    if verdict is None:
        return None
    mixed = judged.owner.holding(State.MIXED)
    sources = {source for group in mixed for source in group.account.lots}
    fresh = [event for source, event in judged.window.lying.items() if source in sources]
    deposit = _own(judged, fresh)
    # A write to parameters shows at the next call of torch, and not where it stands.
    spent = "spent by hand before this line" if judged.owner.anonymous else "spent here"
    return judged.fault(
        verdict,
        deposit.place,
        (spent, mixed[0].account.spent_at),
        ("deposited again here", deposit.place),
        last_clear=mixed[0].cleared_at,
    )


def _own(judged: JudgedStep, fresh: list[Backward]) -> Backward:
    """Return the oldest deposit that no other optimizer spends, else the oldest."""
    for event in fresh:
        if not judged.books.others_spend(event.source, judged.owner):
            return event
    return fresh[0]


def leaked_deposit(judged: JudgedStep, facts: StepFacts) -> Fault | None:
    """State a step that spends what another optimizer's backward left behind, at the step."""
    verdict, newest = verdicts.leaked_deposit(facts), judged.window.newest
    if verdict is None or newest is None:
        return None
    return judged.fault(
        verdict,
        judged.event.place,
        ("left behind here", left_behind(judged)[0]),
        ("deposited here", newest.place),
    )


def zero_before_step(judged: JudgedStep, facts: StepFacts) -> Fault | None:
    """State a clear that threw away all that the step should have spent, at the clear."""
    verdict, window = verdicts.zero_before_step(facts), judged.window
    if verdict is None or window.thrown_by is None:
        return None
    thrown = [("deposited here", event.place) for event in window.wasted.values()]
    return judged.fault(
        verdict,
        window.thrown_by.place,
        *thrown,
        ("cleared here", window.thrown_by.place),
        ("nothing left to spend here", judged.event.place),
    )


def zero_inside_window(judged: JudgedStep) -> Fault | None:
    """State micro-batches that throw away the one before, at the clear."""
    statistics, window = judged.statistics, judged.window
    if statistics.thrown is None:
        return None
    made, _, place = statistics.thrown
    verdict = verdicts.zero_inside_window(
        all_but_last_thrown=statistics.always_thrown and statistics.windows >= ENOUGH,
        used=False,  # a window in which something used them is none of these
        meant=window.newest is not None and _is_meant(window.newest, made),
    )
    if verdict is None:
        return None
    spent = ("the last of them is spent here", judged.event.place)
    return judged.fault(verdict, place, spent, deposits=made, lying=1)


def _is_meant(newest: Backward, made: int) -> bool:
    """Tell whether a window of so many deposits is meant: its losses are divided by that number.

    Else the source may show it, by a modulo, an inner loop or an `accumulate()`.
    """
    return made in newest.constants or newest.loop.meant


def zero_outside_closure(judged: JudgedStep) -> Fault | None:
    """State a later evaluation of a closure that deposited on an earlier one, at the deposit."""
    mixed = judged.owner.holding(State.MIXED)
    verdict = verdicts.zero_outside_closure(evaluated_again=True, holds_mixed=bool(mixed))
    if verdict is None:
        return None
    deposit = next(iter(mixed[0].account.lots.values())).newest
    evaluates = ("evaluates the closure again", judged.event.place)
    return judged.fault(verdict, deposit.place, evaluates)


def wasted_deposit(judged: JudgedStep) -> Fault | None:
    """State a source that is thrown away in every window, at its deposit."""
    for source, event in judged.window.wasted.items():
        verdict = verdicts.wasted_deposit(
            in_every_window=judged.statistics.wasted.get(source, 0) >= ENOUGH,
            used=False,  # what served something is not counted as wasted
        )
        if verdict is not None and judged.owner.say_once(verdict.rule, source):
            return judged.fault(verdict, event.place)
    return None
