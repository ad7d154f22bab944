"""One micro-batch of several backwards: several losses, truncated BPTT, D on real and fake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.engine.window import NOTHING
from zerograd.errors import ArgumentError

if TYPE_CHECKING:
    from types import TracebackType

    from torch import Tensor

    from zerograd.engine.step import Step
    from zerograd.engine.window import Items
    from zerograd.engine.window_keeper import WindowKeeper


class MicroBatch:
    """Carries the items once; its window is stepped when it is left."""

    def __init__(self, keeper: WindowKeeper, items: Items | None, *, waits: bool = False) -> None:
        self._keeper = keeper
        self._items = items
        self._count: Items | None = None
        self._backwards = 0
        self._create_graph = False
        self.waits = waits
        """Begun by more=True: the next backward without it is its last."""

        self.step: Step | None = None
        """The step that leaving it made, or None while the window is open."""

    def __enter__(self) -> MicroBatch:
        self._keeper.refuse_inside_micro_batch("another micro_batch()")
        if self._keeper.progress.driver is not None:
            self._keeper.progress.one_backward()
        self._keeper.micro = self
        return self

    def deposit(
        self,
        loss: Tensor,
        reduction: str | None,
        retain_graph: bool | None,
        create_graph: bool,
        *,
        more: bool,
    ) -> Step | None:
        """Deposit one of its losses; the last of one that waits returns its step."""
        if not self.waits:
            self._add(loss, reduction, retain_graph, create_graph)
            return None
        try:
            self._add(loss, reduction, retain_graph, create_graph)
        except BaseException:
            self.abandon()
            raise
        if not more:
            self._leave()
        return self.step

    def _add(
        self, loss: Tensor, reduction: str | None, retain_graph: bool | None, create_graph: bool
    ) -> None:
        keeper = self._keeper
        reduction = reduction or keeper.options.reduction
        if self._count is None:
            self._count = keeper.books.window.admit(self._items, reduction)
        self._backwards += 1
        self._create_graph |= create_graph
        if self._count is NOTHING and not keeper.runs_empty:
            return
        keeper.deposit(loss, self._count, reduction, retain_graph, create_graph)
        keeper.seal.put(create_graph=create_graph)

    def refuse_items(self) -> None:
        """Say where the items of several losses belong."""
        remedy = (
            "say it once, with the first: gradients.backward(loss, items=n, more=True)"
            if self.waits
            else "write with gradients.micro_batch(items=n):"
        )
        raise ArgumentError(f"items belongs to the micro-batch, not to one of its losses; {remedy}")

    def abandon(self) -> None:
        """Drop its window, of which a part is deposited and not counted."""
        keeper = self._keeper
        keeper.micro = None
        if self._backwards and keeper.books.window.is_open:
            keeper.drop()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self.abandon()
        else:
            self._leave()

    def _leave(self) -> None:
        keeper = self._keeper
        keeper.micro = None
        if self._count is None:
            keeper.progress.nothing_deposited()
            return
        with keeper.alone():
            keeper.seal.verify(closing=True)
            self.step = keeper.counted(self._count, self._items is not None, self._create_graph)
