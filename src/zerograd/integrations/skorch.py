"""A callback for skorch's nets: the gradients of `fit` under watch.

from zerograd.integrations.skorch import ZerogradCallback

net = NeuralNetClassifier(Module, callbacks=[ZerogradCallback()])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skorch.callbacks import Callback

from zerograd.integrations.training_watch import TrainingWatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.findings import Finding


class ZerogradCallback(Callback):
    """Watches `fit`, and says at its end what was found, by `sink` as skorch's own callbacks do.

    The other options are those of `zerograd.watch()`; with `strict=True` a fault ends `fit` with a
    `FaultError`.
    """

    def __init__(
        self, *, strict: bool = False, sink: Callable[[str], object] = print, **options: Any
    ) -> None:
        # skorch reads and sets parameters by these names.
        self.strict = strict
        self.sink = sink
        self._training = TrainingWatch(options, framework="skorch")

    @property
    def findings(self) -> list[Finding]:
        """What the last `fit` has shown."""
        return self._training.findings

    def on_train_begin(self, net: Any, X: Any = None, y: Any = None, **kwargs: Any) -> None:  # noqa: N803
        """Begin to watch."""
        del X, y, kwargs
        self._training.options["strict"] = self.strict
        self._training.begin(self.sink, [getattr(net, "optimizer_", None)])

    def on_train_end(self, net: Any, X: Any = None, y: Any = None, **kwargs: Any) -> None:  # noqa: N803
        """Say what was found."""
        del net, X, y, kwargs
        self._training.end()
