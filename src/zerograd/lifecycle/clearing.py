"""Faults of clearing: too late, too early, at the wrong place, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.habits import ENOUGH
from zerograd.lifecycle.transitions import State
from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lifecycle.events import Backward
    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.settlement import Settlement


def missing_zero(settlement: Settlement) -> Fault | None:
    """Find fresh deposits on top of stale ones."""
    mixed = settlement.owner.holding(State.MIXED)
    if not mixed:
        return None
    sources = {source for cell in mixed for source in cell.account.lots}
    fresh = [event for source, event in settlement.window.lying.items() if source in sources]
    deposit = _own(settlement, fresh)
    return settlement.fault(
        "missing-zero",
        Severity.ERROR,
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


def leaked_deposit(settlement: Settlement) -> Fault | None:
    """Find a step that spends what another optimizer's backward left behind.

    One window is not enough: in the first, whoever spends the newest source after this step has
    not been seen yet.
    """
    newest, lying = settlement.window.newest, settlement.window.lying
    if newest is None or newest.source not in lying or settlement.habits.windows < 2:
        return None
    if settlement.books.others_spend(newest.source, settlement.owner):
        return None
    for deposit in lying.values():
        if deposit.source != newest.source and settlement.habits.followers.get(deposit.source):
            return settlement.fault(
                "leaked-deposit",
                Severity.WARNING,
                settlement.event.place,
                ("left behind here", deposit.place),
                ("deposited here", newest.place),
            )
    return None


def zero_before_step(settlement: Settlement) -> Fault | None:
    """Find a clear that threw away all that the step should have spent."""
    owner, window = settlement.owner, settlement.window
    if window.thrown_by is None or window.used or window.spent_elsewhere:
        return None
    if not owner.is_empty() or not owner.holding(State.DISCARDED):
        return None
    thrown = [("deposited here", event.place) for event in window.wasted.values()]
    return settlement.fault(
        "zero-before-step",
        Severity.ERROR,
        window.thrown_by.place,
        *thrown,
        ("cleared here", window.thrown_by.place),
        ("nothing left to spend here", settlement.event.place),
    )


def zero_inside_window(settlement: Settlement) -> Fault | None:
    """Find micro-batches that throw away the one before."""
    habits, window = settlement.habits, settlement.window
    if habits.thrown is None or not habits.always_thrown or habits.windows < ENOUGH:
        return None
    made, _, place = habits.thrown
    meant = window.newest is not None and window.newest.loop.meant
    return settlement.fault(
        "zero-inside-window",
        Severity.ERROR if meant else Severity.HINT,
        place,
        ("the last of them is spent here", settlement.event.place),
        deposits=made,
    )


def zero_outside_closure(settlement: Settlement) -> Fault | None:
    """Find a later evaluation of a closure that deposited on an earlier one."""
    mixed = settlement.owner.holding(State.MIXED)
    if not mixed:
        return None
    deposit = next(iter(mixed[0].account.lots.values())).newest
    return settlement.fault(
        "zero-outside-closure",
        Severity.ERROR,
        deposit.place,
        ("evaluates the closure again", settlement.event.place),
    )
