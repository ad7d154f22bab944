"""Faults of scaling and clipping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.events import ScalerStep
from zerograd.lifecycle.transitions import UNSPENT_LIES
from zerograd.lifecycle.verdicts import scaling as verdicts

if TYPE_CHECKING:
    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.judged_step import JudgedStep


def idle_clip(judged: JudgedStep) -> Fault | None:
    """State a clip of what was spent, or of nothing, at the clip."""
    window = judged.window
    if window.idle_clip is None:
        return None
    verdict = verdicts.idle_clip(
        touched_fresh=False,
        touched_spent=window.idle_clip_was_late,
        clipped_otherwise=window.fresh_clipped,
        spends=not judged.owner.is_empty(),
    )
    if verdict is None:
        return None
    unclipped = ("spent without a clip here", judged.event.place)
    return judged.fault(verdict, window.idle_clip.place, unclipped)


def clip_before_unscale(judged: JudgedStep) -> Fault | None:
    """State a clip of gradients under the loss scale, at the clip."""
    window = judged.window
    if window.scaled_clip is None:
        return None
    verdict = verdicts.clip_before_unscale(scaled=True, written=window.written)
    if verdict is None:
        return None
    return judged.fault(verdict, window.scaled_clip.place, ("spent here", judged.event.place))


def clip_inside_window(judged: JudgedStep) -> Fault | None:
    """State accounts clipped at each micro-batch, two windows running, at the clip."""
    each = judged.statistics.clipped >= 2
    verdict = verdicts.clip_inside_window(several=each, at_each_deposit=each)
    if verdict is None:
        return None
    return judged.fault(
        verdict,
        judged.window.clip,
        ("spent here", judged.event.place),
        deposits=judged.content.count,
    )


def scaled_step(judged: JudgedStep) -> Fault | None:
    """State a step outside the scaler on scaled deposits, or the scaler's on bare ones."""
    event = judged.event
    accounts = [group.account for group in judged.owner.groups]
    fresh = [account for account in accounts if account.state in UNSPENT_LIES]
    verdict = verdicts.scaled_step(
        through_scaler=isinstance(event, ScalerStep),
        enabled=isinstance(event, ScalerStep) and event.enabled,
        scaled=any(account.scaled for account in fresh),
        plain=any(account.plain for account in fresh),
        written=judged.window.written,
    )
    return None if verdict is None else judged.fault(verdict, event.place)
