"""Faults of the graph behind a deposit: walked twice, kept alive, or cleared inside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.fault import Fault
from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lifecycle.cells import Cell
    from zerograd.lifecycle.events import Clear
    from zerograd.lifecycle.settlement import Settlement

ALIVE = 8
REMEMBERED = 12


def backward_twice(settlement: Settlement) -> Fault | None:
    """Find a loss deposited again, as part of a later one, before any step."""
    again = settlement.window.again
    if again is None or settlement.window.written:
        return None
    return settlement.fault(
        "backward-twice",
        Severity.WARNING,
        again.place,
        ("spent here", settlement.event.place),
    )


def kept_graph(settlement: Settlement) -> Fault | None:
    """Find spent deposits whose graphs are still alive, most of the last twelve."""
    kept = settlement.event.kept
    if kept is None or settlement.habits.kept.bit_count() < ALIVE:
        return None
    if not settlement.owner.say_once("kept-graph", kept):
        return None
    return settlement.fault("kept-graph", Severity.WARNING, kept)


def remember_graph(bits: int, *, alive: bool) -> int:
    """Shift one more spent deposit into the last twelve."""
    return (bits << 1 | alive) & (1 << REMEMBERED) - 1


def zero_in_graph(event: Clear, cells: tuple[Cell, ...]) -> tuple[Fault, ...]:
    """Find a clear that became part of a gradient's own graph."""
    if not event.keeps_graph or not any(cell.account.tracked for cell in cells):
        return ()
    return (Fault(rule="zero-in-graph", severity=Severity.WARNING, place=event.place),)
