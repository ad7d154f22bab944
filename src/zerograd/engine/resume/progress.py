"""Where an engine stands in its data: epoch, batch, and whether that batch was deposited."""

from __future__ import annotations

from typing import Any

from zerograd.errors import ArgumentError
from zerograd.record import record


@record()
class Progress:
    """The engine's place in the loader that `batches()` draws from."""

    epoch: int = 0
    """How many `batches()` were exhausted."""

    index: int = 0
    """How many batches of this epoch were handed out."""

    is_last: bool = False
    """The batch that is out is the loader's last."""

    backwards: int = 0
    """Micro-batches that the batch that is out has made."""

    deposited: bool = False
    """The batch that is out was counted."""

    start: dict[str, Any] | None = None
    """The generators' states before `iter(loader)`, or the loader's own state."""

    ahead: dict[str, Any] | None = None
    """The generators' states before the batch that was looked ahead for."""

    loader: Any = None
    """The loader of this epoch, asked for its own state where it keeps one."""

    driver: object | None = None
    """The `batches()` that is running, if any."""

    resuming: bool = False
    """Loaded: the next `batches()` draws and drops up to `index`."""

    at_checkpoint: dict[str, Any] | None = None
    """The generators' states that a resumed `batches()` ends its drawing with."""

    def one_backward(self) -> None:
        """Count a micro-batch of the batch that is out, and refuse the second."""
        self.backwards += 1
        if self.backwards > 1:
            raise ArgumentError(
                "a second backward in one batch of batches() would be a second micro-batch; put "
                "several losses of one batch into `with gradients.micro_batch(items=n):`"
            )

    def nothing_deposited(self) -> None:
        """Take back a micro-batch that had no backward."""
        self.backwards = 0

    def begin(self, loader: Any, start: dict[str, Any]) -> None:
        """Begin to draw from a loader."""
        self.loader = loader
        self.start = start
        self.resuming = False
        self.at_checkpoint = None

    def hand_out(self, index: int, *, is_last: bool) -> None:
        """Begin the next batch."""
        self.index = index + 1
        self.is_last = is_last
        self.backwards = 0
        self.deposited = False

    def leave(self) -> None:
        """No batch is out any more."""
        self.driver = None
        self.is_last = False
        self.backwards = 0

    def exhausted(self) -> None:
        """Begin the next epoch."""
        self.epoch += 1
        self.index = 0
        self.deposited = False
        self.start = self.ahead = self.loader = None

    @property
    def next_index(self) -> int:
        """The index of the next micro-batch: a batch that is out and not deposited comes again."""
        if self.driver is not None and not self.deposited and self.index:
            return self.index - 1
        return self.index
