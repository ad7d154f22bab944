"""Precedence and absorption, so that one fault is one finding: one table for watch and lint."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from zerograd.lifecycle.verdicts.verdict import Verdict

ABOUT_ACCOUNTS = (
    "spent-twice",
    "missing-zero",
    "leaked-deposit",
    "zero-before-step",
    "step-without-backward",
)
"""At a step the first of these that holds is reported; the rest are its evidence."""

ABOUT_WINDOWS = (
    "zero-inside-window",
    "tail-leaks",
    "wrong-divisor",
    "unnormalised-window",
    "unequal-micro-batches",
)
"""These follow in the same order. A step that the scaler skipped ends no window: it is not judged
by them."""

LAST = ("wasted-deposit",)
"""Only where none of those holds."""

ABSORBED_BY: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        # A closure that is evaluated again deposits on its own earlier deposit.
        "missing-zero": frozenset({"zero-outside-closure"}),
        # Who spends another's deposits spends what somebody has spent.
        "spent-twice": frozenset({"shared-parameter"}),
        # The term that stands twice was to be the orphan's; what left the model has a successor.
        "orphan-parameter": frozenset({"shared-parameter", "stale-optimizer"}),
        # What left the model, or is stepped without a backward or after one that starts from
        # nothing, gets no deposits.
        "dead-parameter": frozenset(
            {"stale-optimizer", "step-without-backward", "backward-without-graph"}
        ),
        # A window that is counted wrongly, or carried on, explains what is left at the end.
        "tail-dropped": frozenset({"window-off-by-one", "tail-leaks"}),
    }
)
"""What was already reported of an optimizer, and explains a further verdict about it."""

ABSORBED_AT_A_TAIL: Mapping[str, frozenset[str]] = MappingProxyType(
    {"wrong-divisor": frozenset({"window-off-by-one", "tail-leaks"})}
)
"""The same for verdicts about a short window alone, which are hints."""

SCALER_ABSORBED_BY: Mapping[str, frozenset[str]] = MappingProxyType(
    # The clear that left nothing to step on is the one fault: the scaler is updated in time.
    {"scaler-not-updated": frozenset({"zero-before-step"})}
)
"""What explains a call of a scaler that comes after `unscale_` and a clear."""


def is_absorbed(verdict: Verdict, reported: Collection[str]) -> bool:
    """Tell whether what was reported of an optimizer explains a further verdict."""
    by = ABSORBED_BY.get(verdict.rule, frozenset())
    if verdict.severity is Severity.HINT:
        by |= ABSORBED_AT_A_TAIL.get(verdict.rule, frozenset())
    return not by.isdisjoint(reported)
