"""Optimizers that Accelerate and Fabric wrapped are understood, or refused with what to write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from engine_cases import mlp, same, square
from torch import optim

import zerograd
from zerograd.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def accelerate() -> Iterator[Any]:
    """Accelerate, whose state is shared by all of a process."""
    module = pytest.importorskip("accelerate")
    yield module
    module.state.AcceleratorState._reset_state(reset_partial_state=True)
    module.state.GradientState._reset_state()


@pytest.fixture
def fabric() -> Any:
    return pytest.importorskip("lightning").Fabric(accelerator="cpu", devices=1)


def test_an_accelerated_optimizer_is_stepped_as_often_as_the_engine_says(accelerate: Any) -> None:
    plain, owned = mlp(), mlp()
    alone = zerograd.Gradients(optim.SGD(plain.parameters(), lr=0.1), accumulate=2, clip_norm=0.1)
    accelerator = accelerate.Accelerator(cpu=True)
    model, optimizer = accelerator.prepare(owned, optim.SGD(owned.parameters(), lr=0.1))
    gradients = zerograd.Gradients(optimizer, accumulate=2, clip_norm=0.1)

    for seed in range(6):
        alone.backward(square(plain, 3, seed))
        gradients.backward(square(model, 3, seed))

    assert same(plain, owned)
    assert gradients.steps == 3


def test_accelerate_that_accumulates_by_itself_is_refused(accelerate: Any) -> None:
    model = mlp()
    accelerator = accelerate.Accelerator(cpu=True, gradient_accumulation_steps=4)
    optimizer = accelerator.prepare(optim.SGD(model.parameters()))

    with pytest.raises(ArgumentError) as refused:
        zerograd.Gradients(optimizer)

    assert str(refused.value) == (
        "Accelerate accumulates over 4 batches by itself, and its optimizer ignores the steps "
        "between; write Accelerator() and zerograd.Gradients(optimizer, accumulate=4)"
    )


def test_accelerates_scaler_must_be_the_engines(accelerate: Any) -> None:
    model = mlp()
    accelerate.Accelerator(cpu=True)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
    optimizer = accelerate.optimizer.AcceleratedOptimizer(
        optim.SGD(model.parameters(), lr=0.1), scaler=scaler
    )

    with pytest.raises(ArgumentError) as refused:
        zerograd.Gradients(optimizer)
    gradients = zerograd.Gradients(optimizer, scaler=scaler)

    assert str(refused.value) == (
        "Accelerate scales the losses of this optimizer, and the engine must do it instead; pass "
        "scaler=accelerator.scaler, and the bare loss to gradients.backward(loss)"
    )
    assert gradients.backward(square(model, 3, 0))


def test_a_scheduler_over_the_wrapper_schedules_the_engines_optimizer(accelerate: Any) -> None:
    model = mlp()
    accelerator = accelerate.Accelerator(cpu=True)
    optimizer = accelerator.prepare(optim.SGD(model.parameters(), lr=1.0))
    scheduler = optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    gradients = zerograd.Gradients(optimizer, scheduler=scheduler)

    gradients.backward(square(model, 3, 0))

    assert optimizer.param_groups[0]["lr"] == 0.5


def test_a_step_of_the_wrapper_is_refused_like_one_of_the_optimizer(accelerate: Any) -> None:
    model = mlp()
    accelerator = accelerate.Accelerator(cpu=True)
    optimizer = accelerator.prepare(optim.SGD(model.parameters(), lr=1.0))
    gradients = zerograd.Gradients(optimizer)

    with pytest.raises(zerograd.errors.LifecycleError, match="ZG301 step-without-backward"):
        optimizer.step()

    assert gradients.steps == 0


def test_a_fabric_optimizer_is_stepped_as_often_as_the_engine_says(fabric: Any) -> None:
    plain, owned = mlp(), mlp()
    alone = zerograd.Gradients(
        optim.SGD(plain.parameters(), lr=0.1, fused=True), accumulate=2, clip_norm=0.1
    )
    model, optimizer = fabric.setup(owned, optim.SGD(owned.parameters(), lr=0.1, fused=True))
    gradients = zerograd.Gradients(optimizer, accumulate=2, clip_norm=0.1)

    for seed in range(6):
        alone.backward(square(plain, 3, seed))
        gradients.backward(square(model, 3, seed))

    assert same(plain, owned)
    assert gradients.steps == 3


def test_fabrics_scaler_must_be_the_engines() -> None:
    lightning = pytest.importorskip("lightning")
    from lightning.fabric.plugins import MixedPrecision

    scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
    precision = MixedPrecision("16-mixed", device="cpu", scaler=scaler)
    fabric = lightning.Fabric(accelerator="cpu", devices=1, plugins=[precision])
    owned = mlp()
    _, optimizer = fabric.setup(owned, optim.SGD(owned.parameters(), lr=0.1))

    with pytest.raises(ArgumentError) as refused:
        zerograd.Gradients(optimizer)
    gradients = zerograd.Gradients(optimizer, scaler=fabric.strategy.precision.scaler)

    assert str(refused.value) == (
        "Fabric scales the losses of this optimizer, and the engine must do it instead; pass "
        "scaler=fabric.strategy.precision.scaler, and the bare loss to gradients.backward(loss)"
    )
    assert gradients.steps == 0


class Hearing:
    """A callback of Fabric's."""

    def on_after_optimizer_step(self, strategy: Any, optimizer: Any) -> None:
        """Hear of a step."""


def test_fabrics_callbacks_are_not_passed_over_in_silence() -> None:
    lightning = pytest.importorskip("lightning")
    fabric = lightning.Fabric(accelerator="cpu", devices=1, callbacks=[Hearing()])
    owned = mlp()
    _, optimizer = fabric.setup(owned, optim.SGD(owned.parameters(), lr=0.1))

    with pytest.raises(ArgumentError) as refused:
        zerograd.Gradients(optimizer)

    assert str(refused.value) == (
        "Fabric's callback Hearing would not hear of the engine's steps; call it in on_step="
    )
