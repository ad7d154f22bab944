"""Optimizers that evaluate the loss themselves: every evaluation is a window of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from zerograd.engine.call import where
from zerograd.engine.in_backward import InBackward
from zerograd.engine.losses import Losses
from zerograd.errors import ArgumentError, LifecycleError

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from zerograd.engine.keeper import Keeper
    from zerograd.engine.spend import Spending
    from zerograd.engine.step import Step


def step_with(keeper: Keeper, closure: Callable[[], object]) -> Step:
    """Step once, evaluating as often as the optimizer asks."""
    spending = _refused(keeper)
    books = keeper.books
    evaluations: list[Step] = []

    def evaluate() -> float:
        books.throw_away()
        mean = _mean_loss(keeper, closure)
        evaluations.append(spending.prepare(keeper.windows + 1))
        # A tensor, which torch takes for a float: reading it here would stall the device.
        return cast("float", mean)

    books.acting = True
    try:
        books.accounts.optimizers[0].step(evaluate)
        step = _last(evaluations)
    except BaseException:
        books.acting = False
        keeper.drop()
        raise
    keeper.closed(step)
    return step


def _mean_loss(keeper: Keeper, closure: Callable[[], object]) -> Tensor | float:
    """Run the closure, whose backwards are the user's calls of the engine."""
    keeper.books.losses = losses = Losses()
    keeper.books.acting = False
    try:
        closure()
    finally:
        keeper.books.acting = True
        keeper.books.losses = None
    if keeper.books.window.is_empty:
        raise LifecycleError(
            "step-without-backward: the closure deposited nothing; call "
            "gradients.backward(loss) in it",
            code="ZG301",
        )
    return losses.total / keeper.books.window.divisor


def _last(evaluations: list[Step]) -> Step:
    if not evaluations:
        raise LifecycleError(
            "step-without-backward: the optimizer never evaluated its closure", code="ZG301"
        )
    return evaluations[-1]


def _refused(keeper: Keeper) -> Spending:
    """Return what prepares the gradients, or say why this engine takes no closure."""
    if (
        isinstance(keeper.spending, InBackward)
        or len(keeper.options.optimizers) > 1
        or keeper.books.accumulate is not None
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
