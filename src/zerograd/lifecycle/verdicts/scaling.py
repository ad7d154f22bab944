"""Verdicts on clipping and loss scaling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.transitions import SCALER_ILLEGAL, SCALER_TRANSITIONS
from zerograd.lifecycle.verdicts.verdict import both, deem, either, no
from zerograd.severity import Severity

if TYPE_CHECKING:
    from zerograd.lifecycle.transitions import Call, Stage
    from zerograd.lifecycle.verdicts.verdict import Fact, Verdict


def idle_clip(
    *, touched_fresh: Fact, touched_spent: Fact, clipped_otherwise: Fact, spends: Fact
) -> Verdict | None:
    """A clip touched nothing fresh, and what the step spends was clipped nowhere else.

    One that touched spent deposits came after the step, one that touched nothing before the
    backward; lint also says "after" where backward, step and clear all precede it in a round.
    """
    rule = "clip-after-step" if touched_spent is True else "clip-before-backward"
    return deem(rule, Severity.ERROR, no(touched_fresh), no(clipped_otherwise), spends)


def clip_other_parameters(
    *, precedes_unclipped: Fact, spent: Fact, touched_fresh: Fact, clipped_otherwise: Fact
) -> Verdict | None:
    """A clip precedes a step that spends other parameters' gradients, and those unclipped.

    What it clipped itself is never spent: it is cleared first, or there was nothing to clip. If it
    touched nothing fresh and nothing else clips its own parameters, it is out of place rather than
    about the wrong parameters: that is `idle_clip`.
    """
    return deem(
        "clip-other-parameters",
        Severity.WARNING,
        precedes_unclipped,
        no(spent),
        either(touched_fresh, clipped_otherwise),
    )


def clip_before_unscale(*, scaled: Fact, written: Fact) -> Verdict | None:
    """A clip compares gradients under a loss scale with its limit.

    What was written by hand may have been unscaled by hand.
    """
    return deem("clip-before-unscale", Severity.ERROR, scaled, no(written))


def clip_inside_window(*, several: Fact, at_each_deposit: Fact) -> Verdict | None:
    """One account is clipped, or unscaled, at each micro-batch of a window."""
    return deem("clip-inside-window", Severity.WARNING, several, at_each_deposit)


def scaled_step(
    *, through_scaler: Fact, enabled: Fact, scaled: Fact, plain: Fact, written: Fact
) -> Verdict | None:
    """A step outside the scaler spends scaled deposits, or the scaler's step spends bare ones.

    What was written by hand may have been unscaled by hand.
    """
    wrong = either(
        both(no(through_scaler), scaled),
        both(through_scaler, enabled, plain),
    )
    return deem("scaled-step", Severity.ERROR, wrong, no(written))


def scaler_call(stage: Stage, call: Call, *, enabled: Fact) -> tuple[Verdict | None, Stage]:
    """Judge one call of a scaler by its table, and return the stage that it leads to."""
    rule = SCALER_ILLEGAL.get((stage, call))
    verdict = None if rule is None else deem(rule, Severity.ERROR, enabled)
    return verdict, SCALER_TRANSITIONS[stage][call]
