"""Faults of several ranks: reduced too rarely, past the wrapper, or too often."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import ranks as verdicts

if TYPE_CHECKING:
    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.judged_step import JudgedStep


def closing_alone(judged: JudgedStep) -> Fault | None:
    """State a closing deposit of this rank alone, at what kept it from the others."""
    newest, window = judged.window.newest, judged.window
    if newest is None:
        return None
    verdict = verdicts.closing_alone(
        closes_window=newest.source in window.lying,
        synced=newest.synced is not False,
        written=window.written,
        bypassed=newest.bypass is not None,
    )
    if verdict is None:
        return None
    kept_by = newest.sync_place if newest.bypass is None else newest.bypass
    return judged.fault(
        verdict,
        newest.place if kept_by is None else kept_by,
        ("deposited on this rank alone here", newest.place),
        ("spent here", judged.event.place),
    )


def sync_each_micro_batch(judged: JudgedStep) -> Fault | None:
    """State windows reduced at every micro-batch, two running, at the deposit."""
    lot, each = judged.content.lot, judged.statistics.synced >= 2
    verdict = verdicts.sync_each_micro_batch(several=each, synced_each=each)
    if lot is None or verdict is None:
        return None
    if not judged.owner.say_once(verdict.rule, lot.newest.source):
        return None
    return judged.fault(verdict, lot.newest.place, deposits=lot.count)
