"""The state of each loss scaler towards each optimizer, from one `update()` to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.fault import Fault, Witness
from zerograd.lifecycle.transitions import SCALER_TRANSITIONS, Call, Stage
from zerograd.lifecycle.verdicts.scaling import scaler_call
from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Hashable

    from zerograd.lifecycle.events import Place


@record()
class Scalers:
    """How far each loss scaler is with each optimizer."""

    stages: dict[tuple[Hashable, Hashable], tuple[Stage, Place]] = field(default_factory=dict)
    """By scaler and optimizer: the stage, and the call that led to it."""

    def call(
        self, scaler: Hashable, optimizer: Hashable, call: Call, place: Place
    ) -> tuple[Fault, ...]:
        """Advance the scaler by an unscale or a step of an optimizer."""
        stage, earlier = self.stages.get((scaler, optimizer), (Stage.READY, None))
        verdict, after = scaler_call(stage, call, enabled=True)
        self.stages[scaler, optimizer] = after, place
        if verdict is None:
            return ()
        stands = place if verdict.rule == "unscaled-twice" else earlier
        witnesses = (Witness("called here", earlier), Witness("and here, with no update", place))
        return (Fault.of(verdict, stands, *witnesses, optimizer=optimizer),)

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
