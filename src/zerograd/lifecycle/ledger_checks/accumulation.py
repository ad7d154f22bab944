"""Faults of windows: how many deposits one step spends, and what they were divided by."""

from __future__ import annotations

from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts import accumulation as verdicts
from zerograd.lifecycle.verdicts.accumulation import SumFacts
from zerograd.lifecycle.verdicts.clearing import zero_inside_window

if TYPE_CHECKING:
    from zerograd.lifecycle.account import Lot
    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.judged_step import JudgedStep

LONG_16_BIT_WINDOW = 16


def tail_leaks(judged: JudgedStep) -> Fault | None:
    """State an unfinished window that was carried into the next epoch, at the step."""
    window, content, statistics = judged.window, judged.content, judged.statistics
    verdict = verdicts.tail_leaks(
        spans_epochs=window.spans is not None, unfinished=0 < statistics.largest < content.count
    )
    if verdict is None:
        return None
    return judged.fault(
        verdict,
        judged.event.place,
        ("left over from here", window.lying[content.source].place),
        ("the data starts again here", window.spans),
        deposits=content.count,
        full=statistics.largest,
    )


def _sum_facts(judged: JudgedStep, lot: Lot) -> SumFacts:
    window = judged.window
    return SumFacts(several=lot.count >= 2, written=window.written, singly=window.singly)


def wrong_divisor(judged: JudgedStep) -> Fault | None:
    """State losses divided by something other than the number of deposits, at the deposit.

    A window counts as full once a second one had as many deposits: the first may be a short one.
    A divisor that runs 1, 2, 3 needs no second window.
    """
    lot, full = judged.content.lot, judged.statistics.full
    if lot is None:
        return None
    verdict = verdicts.wrong_divisor(
        _sum_facts(judged, lot),
        grows=lot.runs and (lot.count > 2 or lot.count == full),
        differs=_is_constant(lot) and lot.count not in _products(lot.newest.constants),
        whole=lot.count == full > 1,
        short=lot.count < full,
        over_a_sum=lot.newest.over_a_sum,
    )
    if verdict is None:
        return None
    thrown_by, is_used = judged.window.thrown_by, judged.window.used
    counted = judged.window.made in _products(lot.newest.constants)
    if thrown_by is not None and counted and not is_used:
        # The divisor is right: it counts what a clear in mid-window has thrown away.
        return judged.fault(
            zero_inside_window(all_but_last_thrown=True, used=False, meant=True) or verdict,
            thrown_by.place,
            ("the rest is spent here", judged.event.place),
            deposits=judged.window.made,
            lying=lot.count,
        )
    return judged.fault(
        verdict,
        lot.newest.place,
        ("spent here", judged.event.place),
        deposits=lot.count,
        divisor=lot.newest.constants[0],
        growing=lot.runs,
    )


def _is_constant(lot: Lot) -> bool:
    # A sum is divided by the items of the whole window, and those we do not know.
    return lot.divided and lot.equal and lot.newest.constants[0] > 1 and not lot.summed


def _products(constants: tuple[int, ...]) -> set[int]:
    sizes = range(1, len(constants) + 1)
    return {prod(some) for size in sizes for some in combinations(constants, size)}


def unnormalised_window(judged: JudgedStep) -> Fault | None:
    """State means of several batches that are summed, and nothing divides, at the deposit."""
    lot, statistics = judged.content.lot, judged.statistics
    if lot is None:
        return None
    verdict = verdicts.unnormalised_window(
        always_bare=statistics.windows >= 2 and statistics.always_bare,
        # Nothing but the source says that these are batches, or that they are tasks.
        per_task=not lot.is_fed or lot.newest.loop.per_task,
    )
    if verdict is None:
        return None
    spent = ("spent here", judged.event.place)
    return judged.fault(verdict, lot.newest.place, spent, deposits=lot.count)


def unequal_micro_batches(judged: JudgedStep) -> Fault | None:
    """State means over different numbers of items that are weighed alike, at the deposit."""
    lot, means = judged.content.lot, judged.window.unequal
    if lot is None or means is None:
        return None
    verdict = verdicts.unequal_micro_batches(
        # A factor in the loss is part of what was read; only a write can hide another weight.
        SumFacts(
            several=lot.count >= 2, written=judged.window.by_hand, singly=judged.window.singly
        ),
        unequal=is_unequal(judged),
        different_batches=_draws(lot) or lot.divided,
        # `for t, y in data` under `accumulate()` has no time steps.
        per_task=lot.newest.loop.per_task and not lot.newest.loop.declared,
        again=judged.statistics.unequal >= 2,
        slight=False,  # measured where the gradients are
    )
    if verdict is None:
        return None
    return judged.fault(
        verdict,
        lot.newest.place,
        ("spent here", judged.event.place),
        deposits=lot.count,
        smallest=means.smallest,
        largest=means.largest,
        separable=means.separable,
        reduced=means.reduced,
    )


def is_unequal(judged: JudgedStep) -> bool:
    """Tell whether every deposit of a window was counted, and the counts differ."""
    lot, means = judged.content.lot, judged.window.unequal
    return (
        lot is not None
        and means is not None
        and means.deposits == lot.count
        and means.source == lot.newest.source
    )


def _draws(lot: Lot) -> bool:
    """Tell whether the deposits come from different batches."""
    loop = lot.newest.loop
    return _has_a_batch_each(lot) if lot.is_fed else loop.meant and not loop.per_task


def is_bare(judged: JudgedStep) -> bool:
    """Tell whether a window holds several undivided means of different batches."""
    lot = judged.content.lot
    if lot is None:
        return False
    loop = lot.newest.loop
    bare = verdicts.is_bare(
        _sum_facts(judged, lot),
        # `(real + fake) / 2` in windows of two: the 2 may count either.
        divided=lot.divided or lot.count == lot.newest.mean_of,
        different_batches=_draws(lot),
        mean=lot.mean,
        summed=lot.summed,
        declared=loop.declared,
    )
    return bare is True


def _has_a_batch_each(lot: Lot) -> bool:
    """Tell whether each deposit has a batch of its own, drawn before it or in a chunk for all.

    Real and fake, several heads and several scales are fed by one batch: a sum by design.
    """
    return lot.one_feed and (lot.drawn or lot.draws >= lot.count)


def window_off_by_one(judged: JudgedStep) -> Fault | None:
    """State a first window of one deposit before windows as long as meant, at the condition."""
    statistics, event = judged.statistics, judged.event
    verdict = verdicts.window_off_by_one(
        by_modulo=event.modulo,
        one_source=statistics.one_source,
        first_is_off=statistics.first == 1,
        # Judged once, at the third window: by then two running have agreed.
        then_several=statistics.windows == 3 and statistics.last >= 2 and statistics.running == 2,
    )
    if verdict is None:
        return None
    return judged.fault(
        verdict,
        event.place if event.condition is None else event.condition,
        ("spends one deposit first", event.place),
        deposits=statistics.last,
    )


def low_precision_window(judged: JudgedStep) -> Fault | None:
    """State many deposits summed in 16 bits, at the newest."""
    for group in judged.owner.groups:
        lots = group.account.lots.values()
        count = sum(lot.count for lot in lots if lot.sixteen_bit)
        verdict = verdicts.low_precision_window(long_16_bit_sum=count >= LONG_16_BIT_WINDOW)
        if verdict is not None and judged.owner.say_once(verdict.rule):
            newest = next(reversed(lots)).newest
            return judged.fault(verdict, newest.place, deposits=count)
    return None


def scheduler_in_window(judged: JudgedStep) -> Fault | None:
    """State a scheduler that advances at each micro-batch, two windows running, at its step."""
    each = judged.statistics.scheduled >= 2
    verdict = verdicts.scheduler_in_window(
        several=each, at_each_deposit=each, counted_in_batches=judged.window.planned
    )
    if verdict is None:
        return None
    return judged.fault(
        verdict,
        judged.window.scheduler,
        ("the optimizer steps here", judged.event.place),
        deposits=judged.content.count,
        scheduler_steps=judged.window.scheduler_steps,
    )
