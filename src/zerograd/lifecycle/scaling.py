"""Faults of scaling and clipping."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from zerograd.lifecycle.events import ScalerStep
from zerograd.lifecycle.fault import Fault, Witness
from zerograd.lifecycle.transitions import (
    SCALER_ILLEGAL,
    SCALER_TRANSITIONS,
    UNSPENT_LIES,
    Call,
    Stage,
)
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Hashable

    from zerograd.lifecycle.events import Place
    from zerograd.lifecycle.settlement import Settlement


def idle_clip(settlement: Settlement) -> Fault | None:
    """Find a clip of what was spent, or of nothing, where none clipped what is spent now."""
    window = settlement.window
    if window.idle_clip is None or window.fresh_clipped or settlement.owner.is_empty():
        return None
    return settlement.fault(
        window.idle_clip_rule,
        Severity.ERROR,
        window.idle_clip.place,
        ("spent without a clip here", settlement.event.place),
    )


def clip_before_unscale(settlement: Settlement) -> Fault | None:
    """Find a clip of gradients under the loss scale."""
    window = settlement.window
    if window.scaled_clip is None or window.written:
        return None
    return settlement.fault(
        "clip-before-unscale",
        Severity.ERROR,
        window.scaled_clip.place,
        ("spent here", settlement.event.place),
    )


def clip_inside_window(settlement: Settlement) -> Fault | None:
    """Find accounts clipped at each micro-batch, two windows running."""
    if settlement.habits.clipped < 2:
        return None
    return settlement.fault(
        "clip-inside-window",
        Severity.WARNING,
        settlement.window.clip,
        ("spent here", settlement.event.place),
        deposits=settlement.content.count,
    )


def scaled_step(settlement: Settlement) -> Fault | None:
    """Find a step outside the scaler on scaled deposits, or the scaler's on bare ones.

    What was written by hand may have been unscaled by hand.
    """
    if settlement.window.written:
        return None
    event = settlement.event
    accounts = [cell.account for cell in settlement.owner.cells]
    fresh = [account for account in accounts if account.state in UNSPENT_LIES]
    if not isinstance(event, ScalerStep):
        wrong = any(account.scaled for account in fresh)
    else:
        wrong = event.enabled and any(account.plain for account in fresh)
    if not wrong:
        return None
    return settlement.fault("scaled-step", Severity.ERROR, event.place)


@dataclass(slots=True)
class Scalers:
    """How far each loss scaler is with each optimizer."""

    stages: dict[tuple[Hashable, Hashable], tuple[Stage, Place]] = field(default_factory=dict)
    """By scaler and optimizer: the stage, and the call that led to it."""

    def call(
        self, scaler: Hashable, optimizer: Hashable, call: Call, place: Place
    ) -> tuple[Fault, ...]:
        """Advance the scaler by an unscale or a step of an optimizer."""
        stage, earlier = self.stages.get((scaler, optimizer), (Stage.READY, None))
        self.stages[scaler, optimizer] = SCALER_TRANSITIONS[stage][call], place
        rule = SCALER_ILLEGAL.get((stage, call))
        if rule is None:
            return ()
        stands = place if rule == "unscaled-twice" else earlier
        witnesses = (Witness("called here", earlier), Witness("and here, with no update", place))
        return (
            Fault(
                rule=rule,
                severity=Severity.ERROR,
                place=stands,
                witnesses=witnesses,
                optimizer=optimizer,
            ),
        )

    def has_abandoned(self, scaler: Hashable, optimizer: Hashable) -> bool:
        """Tell whether what was unscaled last was cleared, and no update followed."""
        stage, _ = self.stages.get((scaler, optimizer), (Stage.READY, None))
        return stage is Stage.ABANDONED

    def clear(self, optimizer: Hashable) -> None:
        """Note that an optimizer's unscaled deposits were taken away."""
        for key, (stage, place) in self.stages.items():
            if key[1] == optimizer:
                self.stages[key] = SCALER_TRANSITIONS[stage][Call.CLEAR], place

    def forget(self, optimizer: Hashable) -> None:
        """Drop an optimizer that no longer exists."""
        self.stages = {key: stage for key, stage in self.stages.items() if key[1] != optimizer}

    def update(self, scaler: Hashable) -> None:
        """Let a scaler start anew with all its optimizers."""
        self.stages = {key: stage for key, stage in self.stages.items() if key[0] != scaler}
