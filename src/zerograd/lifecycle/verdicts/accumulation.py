"""Verdicts on windows: how many deposits one step spends, and what they were divided by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.verdict import both, deem, either, no
from zerograd.record import record
from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lifecycle.verdicts.verdict import Fact, Verdict


@record(kw_only=True)
class SumFacts:
    """A window that sums several deposits of one source, and nothing else in between."""

    several: Fact
    """Two or more of them lie in the account at the step."""

    written: Fact
    """Something other than a backward wrote into the gradients: it may have divided them."""

    singly: Fact
    """Another optimizer spends the same deposits one at a time."""


def is_plain(facts: SumFacts) -> Fact:
    """Tell whether the step spends the plain sum of several deposits."""
    return both(facts.several, no(facts.written), no(facts.singly))


def tail_leaks(*, spans_epochs: Fact, unfinished: Fact) -> Verdict | None:
    """A window that the data did not fill is carried into the next epoch."""
    return deem("tail-leaks", Severity.WARNING, spans_epochs, unfinished)


def tail_dropped(*, regular: Fact, unfinished: Fact) -> Verdict | None:
    """What is left over of a regular window is never spent."""
    return deem("tail-dropped", Severity.HINT, regular, unfinished)


def wrong_divisor(
    window: SumFacts,
    *,
    grows: Fact,
    differs: Fact,
    whole: Fact,
    short: Fact,
    over_a_sum: Fact = False,
) -> Verdict | None:
    """Losses are divided by something other than the number of deposits.

    A divisor that grows 1, 2, 3 with the deposits is wrong in any window. A constant one is judged
    by a whole window, as long as two running have agreed; in a short one it is a hint. So is one
    that stands over a sum of losses: it may belong to them, as in `(a + b + c) / 2`.
    """
    plain = is_plain(window)
    if grows is not False:
        return deem("wrong-divisor", Severity.ERROR, plain, grows)
    doubtful = whole is False or over_a_sum is True
    severity = Severity.HINT if doubtful else Severity.ERROR
    return deem("wrong-divisor", severity, plain, differs, either(whole, short))


def is_bare(
    window: SumFacts,
    *,
    divided: Fact,
    different_batches: Fact,
    mean: Fact,
    summed: Fact,
    declared: Fact,
) -> Fact:
    """Tell whether a window sums means of different batches, and nothing divides them.

    Where the reduction cannot be told, a window that the source declares to be an accumulation
    (`accum_steps`) is taken for one of means.
    """
    of_means = either(mean, both(declared, no(summed)))
    return both(is_plain(window), no(divided), different_batches, of_means)


def unnormalised_window(*, always_bare: Fact, per_task: Fact) -> Verdict | None:
    """Means of several batches are summed in every window; see `is_bare`.

    One window is no rule: a script that sums over its data once means it. A loop over tasks, time
    steps or agents may mean it always.
    """
    severity = Severity.HINT if per_task is True else Severity.WARNING
    return deem("unnormalised-window", severity, always_bare)


def unequal_micro_batches(
    window: SumFacts,
    *,
    unequal: Fact,
    different_batches: Fact,
    per_task: Fact,
    again: Fact,
    slight: Fact,
) -> Verdict | None:
    """Means over different numbers of items are added with equal weights.

    A loop over tasks, time steps or episodes may mean it, one window of many (the short last batch)
    is the same fault in small, and so is one that hardly turns the gradient: hints.
    """
    small = either(per_task, no(again), slight)
    severity = Severity.HINT if small is True else Severity.WARNING
    return deem("unequal-micro-batches", severity, is_plain(window), unequal, different_batches)


def average_in_window(*, several: Fact, at_each_deposit: Fact) -> Verdict | None:
    """An average of the weights advances at each micro-batch while the optimizer steps once."""
    return deem("average-in-window", Severity.WARNING, several, at_each_deposit)


def window_off_by_one(
    *, by_modulo: Fact, one_source: Fact, first_is_off: Fact, then_several: Fact
) -> Verdict | None:
    """The first window holds one deposit, or one too few; the others what they were meant to."""
    return deem(
        "window-off-by-one", Severity.WARNING, by_modulo, one_source, first_is_off, then_several
    )


def low_precision_window(*, long_16_bit_sum: Fact) -> Verdict | None:
    """Many deposits are summed in 16 bits."""
    return deem("low-precision-window", Severity.HINT, long_16_bit_sum)


def scheduler_in_window(
    *, several: Fact, at_each_deposit: Fact, counted_in_batches: Fact
) -> Verdict | None:
    """A scheduler advances at each micro-batch while the optimizer steps once a window.

    A schedule whose length the source counts in batches fits that, and is a hint.
    """
    severity = Severity.HINT if counted_in_batches is True else Severity.WARNING
    return deem("scheduler-in-window", severity, several, at_each_deposit)
