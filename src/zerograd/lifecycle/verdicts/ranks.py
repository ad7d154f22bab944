"""Verdicts on several ranks: reduced too rarely, past the wrapper, or too often."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.verdict import deem, no
from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lifecycle.verdicts.verdict import Fact, Verdict


def closing_alone(
    *, closes_window: Fact, synced: Fact, written: Fact, bypassed: Fact
) -> Verdict | None:
    """The deposit that closes a window was not reduced over the ranks, so that they drift apart.

    Gradients written by hand may have been reduced by hand. Where the bare module was called
    instead of its wrapper, that is the fault.
    """
    rule = "wrapper-bypassed" if bypassed is True else "never-synced"
    return deem(rule, Severity.ERROR, closes_window, no(synced), no(written))


def sync_each_micro_batch(*, several: Fact, synced_each: Fact) -> Verdict | None:
    """Windows are reduced at every micro-batch, where once would do."""
    return deem("sync-each-micro-batch", Severity.HINT, several, synced_each)
