"""Parameters that join, leave or are replaced are followed from one window to the next."""

from __future__ import annotations

import pytest
import torch
from engine_cases import mlp, square
from torch import nn, optim

import zerograd
from zerograd.errors import LifecycleError

CLEARS = ["none", "zero"]


def one() -> nn.Parameter:
    return nn.Parameter(torch.zeros(1))


@pytest.mark.parametrize("clear", CLEARS)
def test_a_replaced_parameter_is_cleared_like_the_one_before(clear: str) -> None:
    old, new = one(), one()
    optimizer = optim.SGD([old], lr=1.0)
    gradients = zerograd.Gradients(optimizer, clear=clear)
    gradients.backward(old.sum())

    optimizer.param_groups[0]["params"][0] = new
    for _ in range(3):
        gradients.backward(new.sum())

    assert (old.item(), new.item()) == (-1.0, -3.0)


def test_naive_a_parameter_that_nobody_clears_is_spent_again_and_again() -> None:
    new = one()
    optimizer = optim.SGD([new], lr=1.0)

    for _ in range(3):
        new.sum().backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    assert new.item() == -6.0


@pytest.mark.parametrize("clear", CLEARS)
def test_densification_between_windows_spends_the_right_mean(clear: str) -> None:
    points = nn.Parameter(torch.zeros(2))
    optimizer = optim.Adam([points], lr=0.1)
    spent: list[list[float]] = []
    gradients = zerograd.Gradients(
        optimizer,
        accumulate=2,
        clear=clear,
        on_step=lambda _: spent.append(optimizer.param_groups[0]["params"][0].grad.tolist()),
    )

    for size in (2, 3, 4):
        group = optimizer.param_groups[0]
        grown = nn.Parameter(torch.zeros(size))
        optimizer.state.pop(group["params"][0], None)
        group["params"][0] = grown
        gradients.backward(grown.sum())
        gradients.backward(3 * grown.sum())

    assert spent == [[2.0] * 2, [2.0] * 3, [2.0] * 4]


def test_a_parameter_that_is_replaced_in_mid_window_is_refused() -> None:
    old, new = one(), one()
    optimizer = optim.SGD([old], lr=1.0)
    gradients = zerograd.Gradients(optimizer, accumulate=2)
    gradients.backward(old.sum())
    optimizer.param_groups[0]["params"][0] = new

    with pytest.raises(LifecycleError) as refused:
        gradients.backward(new.sum())

    assert str(refused.value).startswith(
        "ZG103 zero-inside-window: a parameter of SGD was taken out or replaced in mid-window, and "
        "what it had gathered is lost with it; do that between windows, or call "
        "gradients.discard() first"
    )
    gradients.discard()
    assert gradients.accumulate == 2


def test_after_the_discard_the_new_parameter_is_trained() -> None:
    old, new = one(), one()
    optimizer = optim.SGD([old], lr=1.0)
    gradients = zerograd.Gradients(optimizer, accumulate=2)
    gradients.backward(old.sum())
    optimizer.param_groups[0]["params"][0] = new
    gradients.discard()

    for _ in range(2):
        gradients.backward(new.sum())

    assert (old.item(), new.item()) == (0.0, -1.0)


@pytest.mark.parametrize("clear", CLEARS)
def test_a_parameter_that_joins_after_unfreezing_was_not_written_by_hand(clear: str) -> None:
    model = mlp()
    optimizer = optim.SGD(model[2].parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer, clear=clear)
    gradients.backward(square(model, 3, 0))

    optimizer.add_param_group({"params": list(model[0].parameters())})
    held = [parameter.grad is not None for parameter in model[0].parameters()]
    step = gradients.backward(square(model, 3, 1))

    assert step
    assert held == [True, True]


def test_what_a_joining_parameter_held_before_is_not_spent() -> None:
    owned, joining = one(), one()
    optimizer = optim.SGD([owned], lr=1.0)
    gradients = zerograd.Gradients(optimizer)
    for _ in range(3):
        gradients.backward(owned.sum() + joining.sum())

    optimizer.add_param_group({"params": [joining]})
    gradients.backward(owned.sum() + joining.sum())

    assert joining.item() == -1.0


def test_a_parameter_that_left_is_not_cleared_any_more() -> None:
    first, second = one(), one()
    optimizer = optim.SGD([first, second], lr=1.0)
    gradients = zerograd.Gradients(optimizer, clear="zero")
    gradients.backward(first.sum() + second.sum())

    del optimizer.param_groups[0]["params"][1]
    gradients.backward(first.sum())
    second.grad = torch.ones(1)
    gradients.backward(first.sum())

    assert second.grad.item() == 1.0


def test_a_gradient_that_is_written_by_hand_is_still_refused() -> None:
    weight = one()
    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0))
    gradients.backward(weight.sum())
    weight.grad = torch.ones(1)

    with pytest.raises(LifecycleError, match="was written by hand before this window began"):
        gradients.backward(weight.sum())
