"""Close windows for optimizers that evaluate the loss themselves (LBFGS) or step twice (SAM).

Every evaluation of a closure is a window of its own. An open window is finished first and handed
over as it is: SAM climbs along it before it evaluates again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from torch.optim import LBFGS

from zerograd.engine.books import Losses
from zerograd.engine.call import where
from zerograd.engine.in_backward import InBackward
from zerograd.engine.refusals import refused
from zerograd.errors import ArgumentError, LifecycleError

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from zerograd.engine.spend import Spending
    from zerograd.engine.step import Step
    from zerograd.engine.window_keeper import WindowKeeper


def step_with(keeper: WindowKeeper, closure: Callable[[], object]) -> Step:
    """Step once, evaluating as often as the optimizer asks."""
    spending = _refused(keeper)
    books = keeper.books
    evaluations: list[Step] = []
    if books.window.is_open:
        evaluations.append(spending.prepare(keeper.windows + 1))

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


def _mean_loss(keeper: WindowKeeper, closure: Callable[[], object]) -> Tensor | float:
    """Run the closure, whose backwards are the user's calls of the engine."""
    keeper.books.losses = losses = Losses()
    keeper.books.acting = False
    try:
        closure()
    finally:
        keeper.books.acting = True
        keeper.books.losses = None
    if keeper.books.window.is_empty:
        raise refused("closure-without-backward")
    return losses.total / keeper.books.window.divisor


def _last(evaluations: list[Step]) -> Step:
    if not evaluations:
        raise refused("closure-not-evaluated")
    return evaluations[-1]


def spend_with(keeper: WindowKeeper, move: Callable[[], object], *, advance: bool) -> Step:
    """Hand the finished gradient of the open window over to one call, and clear it."""
    if not callable(move):
        raise ArgumentError(
            f"spend() makes the call itself, got {type(move).__name__}; write "
            "gradients.spend(optimizer.first_step), without parentheses behind it"
        )
    spending = _refused_to_spend(keeper)
    spending.instead = move
    keeper.advances = advance
    try:
        return keeper.close()
    finally:
        spending.instead = None
        keeper.advances = True


def _refused_to_spend(keeper: WindowKeeper) -> Spending:
    """Return what finishes the gradient, or say why this engine hands none over."""
    if isinstance(keeper.spending, InBackward):
        raise ArgumentError(
            "step_in_backward=True has stepped already; write step_in_backward=False"
        )
    if keeper.books.accumulate is not None:
        raise ArgumentError(
            "spend() closes windows by hand; write zerograd.Gradients(optimizer, accumulate=None)"
        )
    if keeper.books.scaler is not None:
        raise ArgumentError(
            "spend() cannot skip a call that was asked for, as a scaler does; drop scaler="
        )
    if keeper.options.nonfinite == "skip":
        raise ArgumentError(
            "spend() cannot skip a call that was asked for; write nonfinite='raise', or 'propagate'"
        )
    if not keeper.books.window.is_open:
        raise nothing_to_spend(keeper, "spend()")
    return keeper.spending


def nothing_to_spend(keeper: WindowKeeper, call: str) -> LifecycleError:
    """Return what is said of a call that needs an open window."""
    return refused("nothing-to-spend", where(keeper.books.window.last), call=call)


def _refused(keeper: WindowKeeper) -> Spending:
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
    if not keeper.takes_closures:
        raise ArgumentError(
            "step(closure) would evaluate on each rank by itself; over ranks hand the gradient "
            "over: gradients.spend(optimizer.first_step, advance=False), then "
            "gradients.spend(optimizer.second_step)"
        )
    if keeper.books.window.is_open and isinstance(keeper.options.optimizers[0], LBFGS):
        raise refused("closure-in-window", last=where(keeper.books.window.last))
    return keeper.spending
