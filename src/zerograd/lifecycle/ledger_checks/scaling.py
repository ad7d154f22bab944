"""Faults of scaling and clipping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.events import ScalerStep
from zerograd.lifecycle.transitions import UNSPENT_LIES
from zerograd.lifecycle.verdicts import scaling as verdicts
from zerograd.lifecycle.window import ClipOfOthers

if TYPE_CHECKING:
    from zerograd.lifecycle.fault import Fault
    from zerograd.lifecycle.judged_step import JudgedStep
    from zerograd.lifecycle.verdicts.verdict import Verdict


def idle_clip(judged: JudgedStep) -> Fault | None:
    """State a clip of what was spent, or of nothing, at the clip."""
    window = judged.window
    if window.idle_clip is None:
        return None
    verdict = verdicts.idle_clip(
        touched_fresh=False,
        touched_spent=window.idle_clip_was_late,
        clipped_otherwise=bool(window.fresh_clips),
        spends=not judged.owner.is_empty(),
    )
    if verdict is None:
        return None
    unclipped = ("spent without a clip here", judged.event.place)
    return judged.fault(verdict, window.idle_clip.place, unclipped)


def clip_other_parameters(judged: JudgedStep) -> Fault | None:
    """State a clip for nothing before another one's step, two windows running, at the clip."""
    clip = judged.window.clip_of_others
    verdict = _of_other_parameters(judged) if judged.statistics.clips_of_others >= 2 else None
    if verdict is None or clip is None:
        return None
    return judged.fault(verdict, clip.place, ("spent without a clip here", clip.step))


def _of_other_parameters(judged: JudgedStep) -> Verdict | None:
    window = judged.window
    clip = window.clip_of_others
    # What somebody wrote, copied or spent may hold what was clipped.
    if clip is None or window.written or window.used or window.spent_elsewhere:
        return None
    return verdicts.clip_other_parameters(
        precedes_unclipped=True,
        spent=clip.place in window.fresh_clips,
        touched_fresh=clip.touched_fresh,
        clipped_otherwise=bool(window.fresh_clips),
    )


def is_clipped_for_nothing(judged: JudgedStep) -> bool:
    """Tell whether a clip of these parameters preceded another's step, and was not spent here."""
    return _of_other_parameters(judged) is not None


def tell_clips_of_others(judged: JudgedStep) -> None:
    """Let optimizers whose parameters were clipped last know that this step spends unclipped."""
    owner, window = judged.owner, judged.window
    deposits = any(group.account.lots for group in owner.groups)
    # Who writes by hand may have clipped by hand.
    clipped = window.fresh_clips or window.newest_clip is not None or window.written
    if owner.anonymous or not deposits or clipped:
        return
    for other in judged.books.owners.values():
        theirs = other.window
        # Without a backward since its own step, that is what the clip came after: it measures.
        if theirs.newest_clip is not None and (theirs.made or theirs.elsewhere):
            place = theirs.newest_clip.place
            touched = place in theirs.fresh_clips
            theirs.clip_of_others = ClipOfOthers(place, judged.event.place, touched)


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
