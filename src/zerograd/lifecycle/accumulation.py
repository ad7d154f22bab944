"""Faults of windows: how many deposits one step spends, and what they were divided by."""

from __future__ import annotations

from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lifecycle.account import Lot
    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.settlement import Settlement

LONG_16_BIT_WINDOW = 16


def tail_leaks(settlement: Settlement) -> Fault | None:
    """Find an unfinished window that was carried into the next epoch."""
    window, content, habits = settlement.window, settlement.content, settlement.habits
    if window.spans is None or not 0 < habits.largest < content.count:
        return None
    return settlement.fault(
        "tail-leaks",
        Severity.WARNING,
        settlement.event.place,
        ("left over from here", window.lying[content.source].place),
        ("the data starts again here", window.spans),
        deposits=content.count,
        full=habits.largest,
    )


def wrong_divisor(settlement: Settlement) -> Fault | None:
    """Find losses divided by something other than the number of deposits."""
    lot, window = settlement.content.lot, settlement.window
    if lot is None or window.written or window.singly:
        return None
    severity = _divisor_severity(settlement, lot)
    if severity is None:
        return None
    return settlement.fault(
        "wrong-divisor",
        severity,
        lot.newest.place,
        ("spent here", settlement.event.place),
        deposits=lot.count,
        divisor=lot.newest.constants[0],
        growing=lot.runs,
    )


def _divisor_severity(settlement: Settlement, lot: Lot) -> Severity | None:
    """Judge a full window as an error and a short one as a hint.

    A window counts as full once a second one had as many deposits: the first may be a short one.
    A divisor that runs 1, 2, 3 needs no second window.
    """
    full = settlement.habits.full
    if lot.runs and lot.count > 1 and (lot.count > 2 or lot.count == full):
        return Severity.ERROR
    # A sum is divided by the items of the whole window, and those we do not know.
    if lot.summed or not _is_constant(lot) or lot.count in _products(lot.newest.constants):
        return None
    if lot.count == full > 1:
        return Severity.ERROR
    absorbed = settlement.owner.reported & {"window-off-by-one", "tail-leaks"}
    return Severity.HINT if lot.count < full and not absorbed else None


def _is_constant(lot: Lot) -> bool:
    return lot.divided and lot.equal and lot.newest.constants[0] > 1


def _products(constants: tuple[int, ...]) -> set[int]:
    sizes = range(1, len(constants) + 1)
    return {prod(some) for size in sizes for some in combinations(constants, size)}


def unnormalised_window(settlement: Settlement) -> Fault | None:
    """Find means of several batches that are summed, and nothing divides.

    One window is no habit: a script that sums over its data once means it.
    """
    lot = settlement.content.lot
    if lot is None or settlement.habits.windows < 2 or not settlement.habits.always_bare:
        return None
    return settlement.fault(
        "unnormalised-window",
        Severity.HINT if lot.newest.loop.per_task else Severity.WARNING,
        lot.newest.place,
        ("spent here", settlement.event.place),
        deposits=lot.count,
    )


def is_bare(settlement: Settlement) -> bool:
    """Tell whether a window holds several undivided means of different batches."""
    lot, window = settlement.content.lot, settlement.window
    if lot is None or lot.count < 2 or lot.divided or window.written or window.singly:
        return False
    loop = lot.newest.loop
    different = lot.drawn if lot.newest.feed is not None else loop.meant and not loop.per_task
    return different and (lot.mean or (loop.declared and not lot.summed))


def window_off_by_one(settlement: Settlement) -> Fault | None:
    """Find a first window of one deposit before windows as long as they were meant."""
    habits, event = settlement.habits, settlement.event
    if not event.modulo or habits.windows != 3 or not habits.one_source:
        return None
    if habits.first != 1 or habits.last < 2 or habits.running != 2:
        return None
    return settlement.fault(
        "window-off-by-one",
        Severity.WARNING,
        event.place if event.condition is None else event.condition,
        ("spends one deposit first", event.place),
        deposits=habits.last,
    )


def low_precision_window(settlement: Settlement) -> Fault | None:
    """Find many deposits summed in 16 bits."""
    for cell in settlement.owner.cells:
        lots = cell.account.lots.values()
        count = sum(lot.count for lot in lots if lot.sixteen_bit)
        if count >= LONG_16_BIT_WINDOW and settlement.owner.say_once("low-precision-window"):
            newest = next(reversed(lots)).newest
            return settlement.fault(
                "low-precision-window", Severity.HINT, newest.place, deposits=count
            )
    return None


def scheduler_in_window(settlement: Settlement) -> Fault | None:
    """Find a scheduler that advances at each micro-batch, two windows running."""
    if settlement.habits.scheduled < 2:
        return None
    return settlement.fault(
        "scheduler-in-window",
        Severity.HINT if settlement.window.planned else Severity.WARNING,
        settlement.window.scheduler,
        ("the optimizer steps here", settlement.event.place),
        deposits=settlement.content.count,
        scheduler_steps=settlement.window.scheduler_steps,
    )
