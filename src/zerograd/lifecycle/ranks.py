"""Faults of several ranks: reduced too rarely, or too often."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.settlement import Settlement


def never_synced(settlement: Settlement) -> Fault | None:
    """Find a closing deposit that was not reduced over the ranks.

    Gradients written by hand may have been reduced by hand.
    """
    newest, window = settlement.window.newest, settlement.window
    if newest is None or newest.synced is not False or window.written:
        return None
    if newest.source not in window.lying:
        return None
    return settlement.fault(
        "never-synced",
        Severity.ERROR,
        newest.place if newest.sync_place is None else newest.sync_place,
        ("deposited on this rank alone here", newest.place),
        ("spent here", settlement.event.place),
    )


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
