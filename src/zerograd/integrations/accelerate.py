"""A `with` block for a loop on Accelerate: its gradients under watch, its log on the main process.

from zerograd.integrations.accelerate import watch

with watch(accelerator):
    train(model, optimizer, loader)
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from accelerate.logging import get_logger

from zerograd.integrations.training_watch import TrainingWatch, say_nothing

if TYPE_CHECKING:
    from collections.abc import Iterator

log = get_logger("accelerate.zerograd")


@contextmanager
def watch(accelerator: Any, *, strict: bool = False, **options: Any) -> Iterator[TrainingWatch]:
    """Watch the block, and log at its end what was found, on the main process.

    The options are those of `zerograd.watch()`; with `strict=True` a fault ends the block with a
    `FaultError`. What was found stays in `.findings`.
    """
    training = TrainingWatch({"strict": strict, **options})
    # Asked of this accelerator: its logger would need another one's state.
    say = log.logger.warning if accelerator.is_main_process else say_nothing
    # Private, and only a help: what is not met here is met at its first step.
    training.begin(say, getattr(accelerator, "_optimizers", ()))
    try:
        yield training
    except BaseException:
        training.break_off()
        raise
    training.end()
