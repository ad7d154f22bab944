"""Faults of spending: nothing, twice, or somebody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.habits import ENOUGH
from zerograd.lifecycle.ownership import is_stale
from zerograd.lifecycle.transitions import NOTHING_LIES, State
from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lifecycle.cells import Cell
    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.settlement import Settlement


def spent_twice(settlement: Settlement) -> Fault | None:
    """Find a step that spends what it already spent."""
    owner = settlement.owner
    stale = owner.holding(State.STALE)
    if settlement.window.written or not stale:
        return None
    if any(owner.optimizer not in cell.account.spenders for cell in stale):
        return None
    partly = _others(owner.cells)
    if partly and (owner.holding(State.MIXED) or is_stale(settlement.books, owner, idle=0)):
        return None
    return settlement.fault(
        "spent-twice",
        Severity.ERROR,
        settlement.event.place,
        ("spent here", stale[0].account.spent_at),
        ("spent again here", settlement.event.place),
        partly=partly,
    )


def _others(cells: list[Cell]) -> bool:
    apart = NOTHING_LIES | {State.STALE}
    return any(cell.account.state not in apart for cell in cells)


def step_without_backward(settlement: Settlement) -> Fault | None:
    """Find a step with nothing to spend, where nothing was deposited."""
    owner, window = settlement.owner, settlement.window
    if window.made or window.written or not owner.is_empty():
        return None
    severity = _nothing_deposited(settlement)
    if severity is None:
        return None
    return settlement.fault("step-without-backward", severity, settlement.event.place)


def _nothing_deposited(settlement: Settlement) -> Severity | None:
    owner = settlement.owner
    if not owner.ever_deposited:
        # Optimizers are stepped once on zero gradients to make their state.
        enough = owner.steps >= ENOUGH and not settlement.books.ever_deposited
        return Severity.ERROR if enough else None
    if not settlement.window.elsewhere:
        return Severity.ERROR
    return Severity.HINT if owner.say_once("step-without-backward") else None


def shared_parameter(settlement: Settlement) -> Fault | None:
    """Find deposits spent by two optimizers, two windows running."""
    owner = settlement.owner
    if settlement.habits.shared < 2 or not owner.say_once("shared-parameter"):
        return None
    others = {
        spender
        for cell in owner.holding(State.STALE)
        for spender in cell.account.spenders - {owner.optimizer}
    }
    built = [(other.place, other) for other in settlement.books.owners.values()]
    return settlement.fault(
        "shared-parameter",
        Severity.ERROR,
        owner.place,
        *(("also held here", place) for place, other in built if other.optimizer in others),
        ("spent a second time here", settlement.event.place),
        partly=_others(owner.cells),
    )


def wasted_deposit(settlement: Settlement) -> Fault | None:
    """Find a source that is thrown away in every window."""
    for source, event in settlement.window.wasted.items():
        often = settlement.habits.wasted.get(source, 0) >= ENOUGH
        if often and settlement.owner.say_once("wasted-deposit", source):
            return settlement.fault("wasted-deposit", Severity.HINT, event.place)
    return None
