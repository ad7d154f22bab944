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
        engine.add_event_handler(Events.COMPLETED, self._end)
        engine.add_event_handler(Events.TERMINATE, self._terminated)
        engine.add_event_handler(Events.EXCEPTION_RAISED, self._raised)

    def _begin(self, engine: Any) -> None:
        self._training.begin(engine.logger.warning if idist.get_rank() == 0 else say_nothing)

    def _end(self, engine: Any) -> None:
        del engine
        self._training.end()

    def _terminated(self, engine: Any) -> None:
        if engine.should_terminate == "skip_completed":
            self._training.end()

    def _raised(self, engine: Any, error: BaseException) -> None:
        # Ignite leaves an error to its handlers: where all of them are ours it must be raised as
        # if there were none. Where the user has one, that one decides, and the run may go on.
        if has_only_ours(engine):
            self._training.break_off()
            raise error


def has_only_ours(engine: Any) -> bool:
    """Tell whether nobody else handles the errors of an engine."""
    handlers = engine._event_handlers[Events.EXCEPTION_RAISED]  # noqa: SLF001  there is no other way
    owners = [getattr(handler, "__self__", None) for handler, *_ in handlers]
    return all(isinstance(owner, ZerogradHandler) for owner in owners)
