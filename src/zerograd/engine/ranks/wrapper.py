"""What the engine needs to know of a model that several ranks train together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    import torch
    from torch import Tensor
    from torch.distributed import ProcessGroup

    from zerograd.engine.books import EngineBooks
    from zerograd.engine.ranks.channel import RankChannel


class Wrapper(Protocol):
    """A model that averages its gradients over ranks, when it is told to."""

    groups: tuple[ProcessGroup, ...]
    """The groups whose ranks, one group after the other, train on different data."""

    ranks: list[int]
    """Their ranks in the job."""

    size: int
    """How many ranks train on different data: what the average divides by."""

    device: torch.device

    def release(self) -> object:
        """Leave the model as it was found, once."""

    def refuse_unsound(self) -> None:
        """Raise for what was done to the model and makes its average no average."""

    def prepare(self, *, synced: bool, alone: bool) -> None:
        """Say before a forward whether its backward is reduced.

        `alone`: some rank has no forward now, so that none may communicate in it.
        """

    def reduces(self) -> bool:
        """Whether the backward that comes now will be reduced."""

    def reduced(self) -> bool:
        """Whether the window's last backward was, and with it the whole window."""

    def is_bypassed(self) -> bool:
        """Whether the loss that is to be reduced cannot have gone through the wrapper."""

    def deposited(self) -> None:
        """Make sure that a reduced backward is complete."""

    def fingerprint(self) -> int | None:
        """Return a number that a reduced backward leaves the same on all ranks, if any is."""

    def holds(self, parameter: Tensor) -> bool:
        """Whether this parameter's gradient is reduced by the wrapper."""

    def emptied(self) -> AbstractContextManager[None]:
        """Let the backwards inside change no sum: those of a micro-batch without items."""

    def reduce(self, books: EngineBooks, channel: RankChannel) -> None:
        """Reduce a window whose last backward was not, or say why that cannot be done."""

    def set_aside(self, books: EngineBooks) -> Callable[[], None]:
        """Keep sums that `.grad` alone does not hold from another engine's backward.

        Returns what puts them back.
        """

    def forget(self) -> None:
        """Let go of sums that are not in `.grad`."""

    def refuse_saving(self) -> None:
        """Raise if sums that are not in `.grad` would be missing from a checkpoint."""
