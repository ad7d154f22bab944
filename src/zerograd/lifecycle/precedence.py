"""Precedence: which judges a step faces, in which order, and which faults absorb which."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from zerograd.lifecycle import accumulation, clearing, graph, ranks, scaling, spending
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.settlement import Settlement

    Judge: TypeAlias = Callable[[Settlement], Fault | None]

ACCOUNT_JUDGES: tuple[Judge, ...] = (
    spending.spent_twice,
    clearing.missing_zero,
    clearing.leaked_deposit,
    clearing.zero_before_step,
    spending.step_without_backward,
)
"""Of these and the window judges, the first that holds is reported."""

WINDOW_JUDGES: tuple[Judge, ...] = (
    clearing.zero_inside_window,
    accumulation.tail_leaks,
    accumulation.wrong_divisor,
    accumulation.unnormalised_window,
)
"""A step that the scaler skipped is not judged by these."""

OTHER_JUDGES: tuple[Judge, ...] = (
    spending.shared_parameter,
    scaling.idle_clip,
    scaling.clip_before_unscale,
    scaling.clip_inside_window,
    scaling.scaled_step,
    accumulation.window_off_by_one,
    accumulation.scheduler_in_window,
    accumulation.low_precision_window,
    ranks.never_synced,
    ranks.wrapper_bypassed,
    ranks.sync_each_micro_batch,
    graph.backward_twice,
    graph.kept_graph,
)
"""Each of these is a fault of its own."""

ABSORBED_BY: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "missing-zero": frozenset({"zero-outside-closure"}),
        "spent-twice": frozenset({"shared-parameter"}),
    }
)
"""What was reported before of an optimizer explains these; the rest is in the judges themselves."""


def judge(settlement: Settlement, *, skipped: bool) -> tuple[Fault, ...]:
    """Put a step before its judges."""
    ordered = ACCOUNT_JUDGES if skipped else ACCOUNT_JUDGES + WINDOW_JUDGES
    ranked = _ask(ordered, settlement)
    if not ranked:
        ranked = _ask((spending.wasted_deposit,), settlement)
    first = [fault.followed_by(tuple(ranked[1:])) for fault in ranked[:1]]
    faults = (*first, *_ask(OTHER_JUDGES, settlement))
    settlement.owner.reported.update(f.rule for f in faults if f.severity is not Severity.HINT)
    return faults


def _ask(judges: Sequence[Judge], settlement: Settlement) -> list[Fault]:
    found = [fault for judge in judges if (fault := judge(settlement)) is not None]
    reported = settlement.owner.reported
    return [fault for fault in found if reported.isdisjoint(ABSORBED_BY.get(fault.rule, ()))]
