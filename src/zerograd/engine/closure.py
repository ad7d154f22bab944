"""Optimizers that evaluate the loss themselves: every evaluation is a window of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.engine.call import where
from zerograd.engine.in_backward import InBackward
from zerograd.errors import ArgumentError, LifecycleError

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from zerograd.engine.keeper import Keeper
    from zerograd.engine.spend import Spending
    from zerograd.engine.step import Step


class Losses:
    """The mean loss of one evaluation, weighted as its gradients are."""

    def __init__(self) -> None:
        self.total: Tensor | float = 0.0

    def add(self, loss: Tensor, weight: float) -> None:
        """Add a micro-batch's loss."""
        self.total = self.total + loss.detach() * weight


def step_with(keeper: Keeper, closure: Callable[[], object]) -> Step:
    """Step once, evaluating as often as the optimizer asks."""
    spending = _refused(keeper)
    books = keeper.books
    step: Step | None = None

    def evaluate() -> Tensor | float:
        nonlocal step
        books.throw_away()
        keeper.losses = Losses()
        books.acting = False
        try:
            closure()
        finally:
            books.acting = True
            losses, keeper.losses = keeper.losses, None
        if not books.window.is_open:
            raise LifecycleError(
                "step-without-backward: the closure has no backward; call "
                "gradients.backward(loss) in it",
                code="ZG301",
            )
        divisor = books.window.divisor
        step = spending.prepare(keeper.windows + 1)
        return losses.total / divisor

    books.acting = True
    try:
        books.accounts.optimizers[0].step(evaluate)  # type: ignore[arg-type]  a tensor is a float to torch
        if step is None:
            raise LifecycleError(
                "step-without-backward: the optimizer never evaluated its closure", code="ZG301"
            )
        if keeper.options.on_step is not None:
            keeper.options.on_step(step)
    except BaseException:
        keeper.drop()
        raise
    finally:
        books.acting = False
    keeper.closed()
    return step


def _refused(keeper: Keeper) -> Spending:
    """Return what prepares the gradients, or say why this engine takes no closure."""
    if (
        isinstance(keeper.spending, InBackward)
        or len(keeper.options.optimizers) > 1
        or keeper.accumulate is not None
    ):
        raise ArgumentError(
            "step(closure) is for one optimizer whose windows are closed by hand; write "
            "zerograd.Gradients(optimizer, accumulate=None)"
        )
    if keeper.books.scaler is not None:
        raise ArgumentError("step(closure) compares losses, which a changing scale forbids")
    if keeper.options.nonfinite == "skip":
        raise ArgumentError(
            "step(closure) cannot skip an evaluation that the optimizer asked for; write "
            "nonfinite='raise'"
        )
    if keeper.books.window.is_open:
        raise LifecycleError(
            f"zero-inside-window: step(closure) would clear an open window, deposited at "
            f"{where(keeper.books.window.last)}; call gradients.discard() first",
            code="ZG103",
        )
    return keeper.spending
