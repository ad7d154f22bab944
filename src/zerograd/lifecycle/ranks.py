"""Faults of several ranks: reduced too rarely, past the wrapper, or too often."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lifecycle.events import Backward
    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.settlement import Settlement


def never_synced(settlement: Settlement) -> Fault | None:
    """Find a closing deposit that was not reduced over the ranks.

    Gradients written by hand may have been reduced by hand.
    """
    newest = _closing_alone(settlement)
    if newest is None or newest.bypass is not None:
        return None
    return settlement.fault(
        "never-synced",
        Severity.ERROR,
        newest.place if newest.sync_place is None else newest.sync_place,
        ("deposited on this rank alone here", newest.place),
        ("spent here", settlement.event.place),
    )


def wrapper_bypassed(settlement: Settlement) -> Fault | None:
    """Find a closing deposit that was not reduced because the bare module was called."""
    newest = _closing_alone(settlement)
    if newest is None or newest.bypass is None:
        return None
    return settlement.fault(
        "wrapper-bypassed",
        Severity.ERROR,
        newest.bypass,
        ("deposited on this rank alone here", newest.place),
        ("spent here", settlement.event.place),
    )


def _closing_alone(settlement: Settlement) -> Backward | None:
    """Return the deposit that closes the window, if this rank alone knows of it."""
    newest, window = settlement.window.newest, settlement.window
    if newest is None or newest.synced is not False or window.written:
        return None
    return newest if newest.source in window.lying else None


def sync_each_micro_batch(settlement: Settlement) -> Fault | None:
    """Find windows reduced at every micro-batch, two running."""
    lot = settlement.content.lot
    if lot is None or settlement.habits.synced < 2:
        return None
    if not settlement.owner.say_once("sync-each-micro-batch", lot.newest.source):
        return None
    return settlement.fault(
        "sync-each-micro-batch", Severity.HINT, lot.newest.place, deposits=lot.count
    )
