"""Ask the ledger's checks about a step, in the order of the table of precedence."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from zerograd.lifecycle.ledger_checks import accumulation, clearing, graph, ranks, scaling, spending
from zerograd.lifecycle.step_facts import step_facts
from zerograd.lifecycle.verdicts.precedence import ABOUT_ACCOUNTS, ABOUT_WINDOWS, LAST, is_absorbed
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.judged_step import JudgedStep
    from zerograd.lifecycle.verdicts.facts import StepFacts

    AccountJudge: TypeAlias = Callable[[JudgedStep, StepFacts], Fault | None]
    Judge: TypeAlias = Callable[[JudgedStep], Fault | None]

ACCOUNT_JUDGES: Mapping[str, AccountJudge] = MappingProxyType(
    {
        "spent-twice": spending.spent_twice,
        "missing-zero": clearing.missing_zero,
        "leaked-deposit": clearing.leaked_deposit,
        "zero-before-step": clearing.zero_before_step,
        "step-without-backward": spending.step_without_backward,
    }
)

WINDOW_JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "zero-inside-window": clearing.zero_inside_window,
        "tail-leaks": accumulation.tail_leaks,
        "wrong-divisor": accumulation.wrong_divisor,
        "unnormalised-window": accumulation.unnormalised_window,
        "unequal-micro-batches": accumulation.unequal_micro_batches,
        "wasted-deposit": clearing.wasted_deposit,
    }
)

OTHER_JUDGES: tuple[Judge, ...] = (
    spending.shared_parameter,
    scaling.idle_clip,
    scaling.clip_other_parameters,
    scaling.clip_before_unscale,
    scaling.clip_inside_window,
    scaling.scaled_step,
    accumulation.window_off_by_one,
    accumulation.scheduler_in_window,
    accumulation.low_precision_window,
    ranks.closing_alone,
    ranks.sync_each_micro_batch,
    graph.backward_twice,
    graph.kept_graph,
)
"""Each of these is a fault of its own."""

_ACCOUNTS = tuple(ACCOUNT_JUDGES[rule] for rule in ABOUT_ACCOUNTS)
_WINDOWS = tuple(WINDOW_JUDGES[rule] for rule in ABOUT_WINDOWS)
_LAST = tuple(WINDOW_JUDGES[rule] for rule in LAST)


def judge(judged: JudgedStep, *, skipped: bool) -> tuple[Fault, ...]:
    """Put a step before its judges."""
    facts = step_facts(judged)
    found = [judge(judged, facts) for judge in _ACCOUNTS]
    if not skipped:
        found += [judge(judged) for judge in _WINDOWS]
    ranked = _unexplained(judged, found)
    if not ranked:
        ranked = _unexplained(judged, [judge(judged) for judge in _LAST])
    first = [fault.followed_by(tuple(ranked[1:])) for fault in ranked[:1]]
    others = _unexplained(judged, [judge(judged) for judge in OTHER_JUDGES])
    faults = (*first, *others)
    judged.owner.reported.update(f.rule for f in faults if f.severity is not Severity.HINT)
    return faults


def _unexplained(judged: JudgedStep, found: list[Fault | None]) -> list[Fault]:
    """Return the faults that nothing reported before explains."""
    reported = judged.owner.reported
    return [
        fault for fault in found if fault is not None and not is_absorbed(fault.verdict, reported)
    ]
