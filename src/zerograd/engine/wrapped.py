"""Optimizers that a training library wrapped: the engine steps what is inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zerograd.errors import ArgumentError

if TYPE_CHECKING:
    from torch.optim import Optimizer

ACCELERATED = "AcceleratedOptimizer"
FABRICATED = "_FabricOptimizer"


def unwrapped(optimizer: Any, scaler: object) -> Optimizer:
    """Return the optimizer inside a wrapper of Accelerate's or Fabric's, or say why it cannot be.

    Both may decide by themselves whether a step takes place: the engine would count steps that
    never happen.
    """
    # Names, not types: neither library need be installed.
    kinds = {kind.__name__ for kind in type(optimizer).__mro__}
    if ACCELERATED in kinds:
        _refuse_accelerated(optimizer, scaler)
    elif FABRICATED in kinds:
        _refuse_fabricated(optimizer, scaler)
    else:
        return optimizer  # type: ignore[no-any-return]
    return unwrapped(optimizer.optimizer, scaler)


def bare(optimizer: Any) -> Any:
    """Return the optimizer inside its wrappers, no questions asked."""
    kinds = {kind.__name__ for kind in type(optimizer).__mro__}
    return bare(optimizer.optimizer) if kinds & {ACCELERATED, FABRICATED} else optimizer


def _refuse_accelerated(optimizer: Any, scaler: object) -> None:
    steps = optimizer.gradient_state.num_steps
    if steps > 1:
        raise ArgumentError(
            f"Accelerate accumulates over {steps} batches by itself, and its optimizer ignores the "
            "steps between; write Accelerator() and zerograd.Gradients(optimizer, "
            f"accumulate={steps})"
        )
    if optimizer.scaler is not None and optimizer.scaler is not scaler:
        raise ArgumentError(
            "Accelerate scales the losses of this optimizer, and the engine must do it instead; "
            "pass scaler=accelerator.scaler, and the bare loss to gradients.backward(loss)"
        )


def _refuse_fabricated(optimizer: Any, scaler: object) -> None:
    own = getattr(optimizer._strategy.precision, "scaler", None)  # noqa: SLF001  no public way
    if own is not None and own is not scaler:
        raise ArgumentError(
            "Fabric scales the losses of this optimizer, and the engine must do it instead; pass "
            "scaler=fabric.strategy.precision.scaler, and the bare loss to gradients.backward(loss)"
        )
    for callback in optimizer._callbacks:  # noqa: SLF001
        if hasattr(callback, "on_after_optimizer_step"):
            raise ArgumentError(
                f"Fabric's callback {type(callback).__name__} would not hear of the engine's "
                "steps; call it in on_step="
            )
