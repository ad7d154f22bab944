"""A handler for Ignite's Engine: the gradients of `run` under watch.

from zerograd.integrations.ignite import ZerogradHandler

ZerogradHandler().attach(trainer)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ignite.distributed as idist
from ignite.engine import Events

from zerograd.integrations.training_watch import TrainingWatch, say_nothing

if TYPE_CHECKING:
    from zerograd.findings import Finding


class ZerogradHandler:
    """Watches `run`, and logs on rank 0 at its end what was found, by the engine's own logger.

    The options are those of `zerograd.watch()`; with `strict=True` a fault ends `run` with a
    `FaultError`.
    """

    def __init__(self, *, strict: bool = False, **options: Any) -> None:
        self._training = TrainingWatch({"strict": strict, **options})

    @property
    def findings(self) -> list[Finding]:
        """What the last `run` has shown."""
        return self._training.findings

    def attach(self, engine: Any) -> None:
        """Begin and end with the runs of this engine."""
        engine.add_event_handler(Events.STARTED, self._begin)
        # No handler of EXCEPTION_RAISED: with one, Ignite leaves it to the handlers to raise.
        engine.add_event_handler(Events.COMPLETED, self._end)

    def _begin(self, engine: Any) -> None:
        self._training.begin(engine.logger.warning if idist.get_rank() == 0 else say_nothing)

    def _end(self, engine: Any) -> None:
        del engine
        self._training.end()
