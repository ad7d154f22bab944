"""Hands each closed window to an experiment tracker, in figures that nothing has read yet.

Norms and skipped windows stay on the device, as the engine has them: a tracker that does not read
them makes nobody wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.record import replace

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.engine.options import EngineOptions
    from zerograd.engine.step import Number, Step
    from zerograd.engine.window_keeper import WindowKeeper
    from zerograd.history.tracker import Tracker


class WindowTracking:
    """Told of every step before the user's `on_step` is."""

    def __init__(self, options: EngineOptions, track: Tracker) -> None:
        self._track = track
        self._on_step: Callable[[Step], object] | None = options.on_step
        self._keeper: WindowKeeper | None = None

    def listening(self, options: EngineOptions) -> EngineOptions:
        """Return the same options, with us told of every step."""
        return replace(options, on_step=self.closed)

    def begin(self, keeper: WindowKeeper) -> None:
        """Learn whose windows these are."""
        self._keeper = keeper

    def closed(self, step: Step) -> None:
        """Hand over a window that has just been spent, or skipped."""
        assert self._keeper is not None
        scalars: dict[str, Number] = {"gradients/micro_batches": step.micro_batches}
        items, norm = step.unread_items, step.unread_norm
        if items is not None:
            scalars["gradients/items"] = items
        if norm is not None:
            scalars["gradients/norm"] = norm
            scalars["gradients/clipped"] = step.unread_clipped
        scalars["gradients/skipped"] = self._keeper.spending.skipped
        self._track(step.index, scalars)
        if self._on_step is not None:
            self._on_step(step)

    def end(self) -> None:
        """Let a tracker write what it has not read yet."""
        flush = getattr(self._track, "flush", None)
        if callable(flush):
            flush()
