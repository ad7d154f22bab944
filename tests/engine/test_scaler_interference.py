"""Habits of loops with a loss scaler are refused where the engine scales."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from engine_cases import mlp, parameters_of, square
from torch import nn, optim

import zerograd
from zerograd.errors import LifecycleError


def scaled(
    **options: Any,
) -> tuple[nn.Sequential, optim.Optimizer, torch.amp.GradScaler, zerograd.Gradients]:
    model = mlp()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    return model, optimizer, scaler, zerograd.Gradients(optimizer, scaler=scaler, **options)


def test_a_loss_that_is_scaled_already_is_refused() -> None:
    model, _, scaler, gradients = scaled()
    before = parameters_of(model)

    with pytest.raises(LifecycleError) as refused:
        gradients.backward(scaler.scale(square(model, 3, 0)))

    assert str(refused.value) == (
        "ZG406 scaled-step: this loss is scaled already, and the engine scales it again; pass it "
        "bare: gradients.backward(loss)"
    )
    assert all(map(torch.equal, before, parameters_of(model)))


def test_a_sum_of_scaled_losses_is_refused() -> None:
    model, _, scaler, gradients = scaled()
    loss = scaler.scale(square(model, 3, 0)) + scaler.scale(square(model, 3, 1))

    with pytest.raises(LifecycleError, match="ZG406 scaled-step: this loss is scaled already"):
        gradients.backward(loss)

    assert gradients.steps == 0


def test_a_scaled_loss_of_an_engine_without_scaler_is_refused() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()))
    scaler = torch.amp.GradScaler("cpu")

    with pytest.raises(LifecycleError) as refused:
        gradients.backward(scaler.scale(square(model, 3, 0)))

    assert str(refused.value) == (
        "ZG406 scaled-step: this loss was scaled by a scaler that its engine does not have, and "
        "the scale would be spent; write zerograd.Gradients(optimizer, scaler=scaler) and "
        "gradients.backward(loss)"
    )


def test_a_disabled_scaler_scales_nothing_and_is_let_through() -> None:
    model = mlp()
    optimizer = optim.SGD(model.parameters())
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    gradients = zerograd.Gradients(optimizer, scaler=scaler)

    step = gradients.backward(scaler.scale(square(model, 3, 0)))
    scaler.unscale_(optimizer)
    scaler.update()

    assert step


def test_a_gradient_penalty_may_scale_and_divide() -> None:
    model, _, scaler, gradients = scaled()
    loss = square(model, 3, 0)
    found = torch.autograd.grad(scaler.scale(loss), list(model.parameters()), create_graph=True)
    penalty = sum((grad / scaler.get_scale()).square().sum() for grad in found)

    step = gradients.backward(loss + penalty)

    assert step is not None
    assert step.applied


@pytest.mark.parametrize("accumulate", [1, 2])
def test_unscaling_by_habit_is_refused_at_the_call(accumulate: int) -> None:
    model, optimizer, scaler, gradients = scaled(accumulate=accumulate)
    gradients.backward(square(model, 3, 0))

    with pytest.raises(LifecycleError) as refused:
        scaler.unscale_(optimizer)

    assert str(refused.value).startswith(
        "ZG407 unscaled-twice: the scale would be divided out twice, by the engine and by "
        "scaler.unscale_() at "
    )
    assert str(refused.value).endswith(
        "; remove it, the engine unscales; clip_norm= and transform= of Gradients see unscaled "
        "gradients"
    )
    gradients.discard()


@pytest.mark.parametrize("accumulate", [1, 2])
def test_an_update_by_habit_is_refused_at_the_call(accumulate: int) -> None:
    model, _, scaler, gradients = scaled(accumulate=accumulate)
    gradients.backward(square(model, 3, 0))

    with pytest.raises(LifecycleError) as refused:
        scaler.update()

    assert str(refused.value).startswith(
        "ZG406 scaled-step: scaler.update() changes the scale of an engine's deposits at "
    )
    assert str(refused.value).endswith(
        "; remove it, the engine updates its scaler when a window closes; "
        "scaler.update(new_scale) may be called between windows"
    )
    gradients.discard()


def test_a_scaler_step_by_habit_is_refused_before_it_unscales() -> None:
    model, optimizer, scaler, gradients = scaled(accumulate=2)
    gradients.backward(square(model, 3, 0))

    with pytest.raises(LifecycleError, match="ZG302 spent-twice: SGD"):
        scaler.step(optimizer)

    assert gradients.backward(square(model, 3, 1))


def test_a_new_scale_between_windows_is_legal_and_in_mid_window_is_not() -> None:
    model, _, scaler, gradients = scaled(accumulate=2)
    gradients.backward(square(model, 3, 0))
    with pytest.raises(LifecycleError, match="ZG406 scaled-step"):
        scaler.update(8.0)
    gradients.backward(square(model, 3, 1))

    scaler.update(8.0)

    assert scaler.get_scale() == 8.0


def test_scalers_of_others_are_nobodys_business() -> None:
    model, _, _, gradients = scaled(accumulate=2)
    gradients.backward(square(model, 3, 0))
    other = mlp(seed=1)
    optimizer = optim.SGD(other.parameters())
    scaler = torch.amp.GradScaler("cpu")

    scaler.scale(square(other, 3, 0)).backward()  # type: ignore[no-untyped-call]
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()

    assert gradients.step().micro_batches == 1
