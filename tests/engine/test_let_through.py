"""What was let through and is refused now, and what was refused and is legal."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from engine_cases import mean_square, mlp, square
from torch import nn, optim
from torch.nn.functional import cross_entropy, mse_loss
from torch.nn.utils import clip_grad_norm_, clip_grads_with_norm_, get_total_norm

import zerograd
from zerograd.errors import LifecycleError


def opened(**options: Any) -> tuple[nn.Sequential, zerograd.Gradients]:
    model = mlp()
    options = {"accumulate": 4, **options}
    gradients = zerograd.Gradients(optim.SGD(model.parameters(), lr=0.1), **options)
    gradients.backward(square(model, 3, 0))
    return model, gradients


def test_another_optimizer_that_moves_the_engines_parameters_in_mid_window_is_refused() -> None:
    model, gradients = opened()
    other = optim.Adam(model[0].parameters())

    with pytest.raises(LifecycleError) as refused:
        other.step()

    assert str(refused.value).startswith(
        "ZG302 spent-twice: Adam.step() moves parameter 0 of SGD, shape (5, 3), whose engine has "
        "an open window at "
    )
    assert str(refused.value).endswith(
        "; give both optimizers to one engine: zerograd.Gradients([first, second])"
    )
    gradients.discard()


def test_another_optimizer_may_move_them_between_windows() -> None:
    model, gradients = opened(accumulate=1)
    other = optim.Adam(model[0].parameters())
    square(model, 3, 0).backward()  # type: ignore[no-untyped-call]

    other.step()

    assert gradients.steps == 1


def divided(model: nn.Module, seed: int) -> torch.Tensor:
    return mean_square(model, 3, seed) / 4


def multiplied(model: nn.Module, seed: int) -> torch.Tensor:
    return mean_square(model, 3, seed) * 0.25


def with_a_penalty(model: nn.Module, seed: int) -> torch.Tensor:
    penalty = sum(parameter.square().sum() for parameter in model.parameters())
    return (mean_square(model, 3, seed) + 0.1 * penalty) / 4


def of_classes(model: nn.Module, seed: int) -> torch.Tensor:
    return cross_entropy(model(torch.ones(3, 3)), torch.tensor([0, 1, seed % 2])) / 4


def in_place(model: nn.Module, seed: int) -> torch.Tensor:
    loss = mean_square(model, 3, seed)
    loss /= 4
    return loss


@pytest.mark.parametrize("loss", [divided, multiplied, with_a_penalty, of_classes, in_place])
def test_a_mean_that_is_divided_by_accumulate_is_refused(loss: Any) -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()), accumulate=4)

    with pytest.raises(LifecycleError) as refused:
        gradients.backward(loss(model, 0))

    assert str(refused.value) == (
        "ZG204 wrong-divisor: this loss is a mean that is divided by 4, and the engine divides by "
        "accumulate=4 as well; pass the bare loss: gradients.backward(loss)"
    )
    with zerograd.allow("wrong-divisor"):
        gradients.backward(loss(model, 0))
    gradients.discard()


def mean_by_hand(model: nn.Module) -> torch.Tensor:
    return square(model, 4, 0)


def average_of_four_heads(model: nn.Module) -> torch.Tensor:
    return sum((mean_square(model, 3, seed) for seed in range(4)), torch.zeros(())) / 4


def other_factor(model: nn.Module) -> torch.Tensor:
    return mean_square(model, 3, 0) / 8


@pytest.mark.parametrize("loss", [mean_by_hand, average_of_four_heads, other_factor])
def test_other_divisions_are_none_of_the_engines_business(loss: Any) -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()), accumulate=4)

    for _ in range(4):
        step = gradients.backward(loss(model))

    assert step


def test_losses_of_one_micro_batch_may_be_averaged() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()), accumulate=2)

    for _ in range(2):
        with gradients.micro_batch() as micro:
            gradients.backward(mean_square(model, 3, 0) / 2)
            gradients.backward(mean_square(model, 3, 1) / 2)

    assert micro.step


def test_a_scaled_loss_after_the_first_is_refused() -> None:
    model, gradients = opened()
    scaler = torch.amp.GradScaler("cpu")

    with pytest.raises(LifecycleError, match="ZG406 scaled-step: this loss was scaled by a scaler"):
        gradients.backward(scaler.scale(square(model, 3, 1)))

    gradients.discard()


def test_a_scaled_loss_after_the_first_is_refused_by_an_engine_with_that_scaler() -> None:
    model = mlp()
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer, scaler=scaler)
    for seed in range(2):
        gradients.backward(square(model, 3, seed))

    with pytest.raises(LifecycleError, match="ZG406 scaled-step: this loss is scaled already"):
        gradients.backward(scaler.scale(square(model, 3, 2)))


def second_micro_batch(gradients: zerograd.Gradients, _: nn.Module) -> None:
    gradients.backward(square(mlp(seed=1), 3, 1))


def second_loss(gradients: zerograd.Gradients, model: nn.Module) -> None:
    with gradients.micro_batch():
        gradients.backward(square(model, 3, 1))
        gradients.backward(square(mlp(seed=1), 3, 1))


@pytest.mark.parametrize("deposit", [second_micro_batch, second_loss])
def test_a_loss_of_another_model_after_the_first_is_refused(deposit: Any) -> None:
    model, gradients = opened()

    with pytest.raises(LifecycleError) as refused:
        deposit(gradients, model)

    assert str(refused.value) == (
        "ZG305 dead-parameter: the loss does not reach this optimizer: its backward deposited "
        "nothing into any of its 4 parameters; compute the loss from the model that SGD was "
        "built over, without detach()"
    )
    assert gradients.discarded == 1


def test_a_loss_that_reaches_a_part_of_the_parameters_is_legal_after_the_first() -> None:
    model, gradients = opened()

    gradients.backward(model[2](torch.ones(1, 5)).sum())

    gradients.discard()
    assert gradients.discarded == 1


def test_clipping_with_a_norm_in_mid_window_is_refused() -> None:
    model, gradients = opened()
    norm = get_total_norm([p.grad for p in model.parameters() if p.grad is not None])

    with pytest.raises(LifecycleError) as refused:
        clip_grads_with_norm_(model.parameters(), 1.0, norm)

    assert str(refused.value).startswith(
        "ZG404 clip-inside-window: a clip changes 1 deposit of an open window at "
    )
    gradients.discard()


@pytest.mark.parametrize("limit", [math.inf, torch.tensor(math.inf)])
def test_a_norm_that_is_only_measured_is_legal_in_mid_window(limit: Any) -> None:
    model, gradients = opened(accumulate=2)

    norm = clip_grad_norm_(model.parameters(), limit)
    step = gradients.backward(square(model, 3, 1))

    assert norm > 0
    assert step


def shifted(model: nn.Sequential) -> None:
    with torch.no_grad():
        model[0].weight.add_(1.0)  # type: ignore[operator]


def reloaded(model: nn.Sequential) -> None:
    model.load_state_dict({name: value + 1 for name, value in model.state_dict().items()})


@pytest.mark.parametrize("write", [shifted, reloaded])
@pytest.mark.parametrize(
    "call",
    [
        lambda gradients, model: gradients.backward(square(model, 3, 1)),
        lambda gradients, _: gradients.step(),
    ],
)
def test_weights_that_are_written_in_mid_window_are_refused(write: Any, call: Any) -> None:
    model, gradients = opened()
    write(model)

    with pytest.raises(LifecycleError) as refused:
        call(gradients, model)

    assert str(refused.value).startswith(
        "ZG302 spent-twice: parameter 0 of SGD, shape (5, 3) was written in mid-window, so that "
        "its deposits belong to different weights, noticed at "
    )
    assert str(refused.value).endswith(
        "; write weights between windows, or call gradients.discard() first"
    )
    gradients.discard()


@pytest.mark.parametrize("write", [shifted, reloaded])
def test_weights_may_be_written_between_windows(write: Any) -> None:
    model, gradients = opened(accumulate=2)
    gradients.backward(square(model, 3, 1))
    write(model)

    gradients.backward(square(model, 3, 2))
    step = gradients.backward(square(model, 3, 3))

    assert step


def test_writing_weights_in_mid_window_can_be_allowed() -> None:
    model, gradients = opened(accumulate=2)
    shifted(model)

    with zerograd.allow("spent-twice"):
        step = gradients.backward(square(model, 3, 1))

    assert step


def test_a_forward_that_writes_its_own_weights_is_legal() -> None:
    words = nn.Embedding(8, 4, max_norm=0.5)
    gradients = zerograd.Gradients(optim.SGD(words.parameters(), lr=1.0), accumulate=3)
    versions = {words.weight._version}

    for start in range(6):
        step = gradients.backward(words(torch.tensor([start, start + 1])).square().sum())
        versions.add(words.weight._version)

    assert step
    assert len(versions) > 3


def test_a_backward_for_an_adversarial_input_names_the_way_that_leaves_the_window_alone() -> None:
    model, gradients = opened(accumulate=2)
    inputs = torch.ones(2, 3, requires_grad=True)
    loss = mse_loss(model(inputs), torch.zeros(2, 2))

    (found,) = torch.autograd.grad(loss, inputs, retain_graph=True)
    with pytest.raises(LifecycleError) as refused:
        loss.backward()  # type: ignore[no-untyped-call]

    assert found.shape == (2, 3)
    assert str(refused.value).endswith(
        "; call gradients.backward(loss), or gradients.discard() first; for the gradient of an "
        "input write torch.autograd.grad(loss, inputs)"
    )
    gradients.discard()
