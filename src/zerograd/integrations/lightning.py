"""A callback for Lightning's Trainer: the gradients of `fit` under watch.

from zerograd.integrations.lightning import ZerogradCallback

trainer = Trainer(callbacks=[ZerogradCallback()])
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from zerograd.integrations.training_watch import TrainingWatch

try:
    from lightning.pytorch import Callback
    from lightning.pytorch.utilities.rank_zero import rank_zero_only
except ModuleNotFoundError:
    from pytorch_lightning import Callback
    from pytorch_lightning.utilities.rank_zero import rank_zero_only

if TYPE_CHECKING:
    from zerograd.findings import Finding

log = logging.getLogger(f"{Callback.__module__.removesuffix('.callbacks.callback')}.zerograd")
"""Below Lightning's own logger, whose handlers and level it shares."""


class ZerogradCallback(Callback):
    """Watches `fit`, and logs on rank 0 at its end what was found.

    The options are those of `zerograd.watch()`; with `strict=True` a fault ends `fit` with a
    `FaultError`, after checkpoints and loggers are done.
    """

    def __init__(self, *, strict: bool = False, **options: Any) -> None:
        self._training = TrainingWatch({"strict": strict, **options})

    @property
    def findings(self) -> list[Finding]:
        """What the last `fit` has shown."""
        return self._training.findings

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Begin before Lightning builds the optimizers."""
        del trainer, pl_module
        if stage == "fit":
            self._training.begin(rank_zero_only(log.warning))

    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """End after all else that happens at the end of `fit`."""
        del trainer, pl_module
        if stage == "fit":
            self._training.end()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Log what was found before the training broke off."""
        del trainer, pl_module, exception
        self._training.break_off()
