"""A callback for the Trainer of Transformers (and of TRL): the gradients of `train` under watch.

from zerograd.integrations.transformers import ZerogradCallback

trainer = Trainer(model, arguments, train_dataset=texts, callbacks=[ZerogradCallback()])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback
from transformers.utils import logging

from zerograd.integrations.training_watch import TrainingWatch, say_nothing

if TYPE_CHECKING:
    from zerograd.findings import Finding

log = logging.get_logger("transformers.zerograd")
"""Below Transformers' own logger, whose handlers and verbosity it shares."""


class ZerogradCallback(TrainerCallback):
    """Watches `train`, and logs at its end what was found, on the first process of the world.

    The options are those of `zerograd.watch()`; with `strict=True` a fault ends `train` with a
    `FaultError`.
    """

    def __init__(self, *, strict: bool = False, **options: Any) -> None:
        self._training = TrainingWatch({"strict": strict, **options}, framework="transformers")

    @property
    def findings(self) -> list[Finding]:
        """What the last `train` has shown."""
        return self._training.findings

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Begin to watch."""
        del args, control
        say = log.warning if state.is_world_process_zero else say_nothing
        self._training.begin(say, [kwargs.get("optimizer")])

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Say what was found."""
        del args, state, control, kwargs
        self._training.end()
