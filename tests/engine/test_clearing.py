"""Two ways of clearing, and stepping in the backward."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from engine_cases import OPTIMIZERS, mean_square, mlp, same, square
from torch import nn, optim
from torch.utils.checkpoint import checkpoint

import zerograd
from zerograd.errors import ArgumentError, LifecycleError


def test_none_lets_go_of_the_gradients() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters(), lr=0.1))

    gradients.backward(square(model, 3, 0))

    assert [parameter.grad for parameter in model.parameters()] == [None] * 4


def test_kept_buffers_are_zero_and_the_same_after_each_window() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters(), lr=0.1), clear="zero")
    gradients.backward(square(model, 3, 0))
    buffers = [parameter.grad for parameter in model.parameters()]

    gradients.backward(square(model, 3, 1))

    after = [parameter.grad for parameter in model.parameters()]
    assert all(one is other for one, other in zip(buffers, after, strict=True))
    assert all(grad is not None and not grad.any() for grad in after)


def test_kept_buffers_have_the_layout_of_channels_last_parameters() -> None:
    plain, owned = (
        nn.Conv2d(4, 4, 3).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        for _ in range(2)
    )
    owned.load_state_dict(plain.state_dict())
    optimizer = optim.AdamW(plain.parameters(), fused=True)
    gradients = zerograd.Gradients(optim.AdamW(owned.parameters(), fused=True), clear="zero")
    images = torch.randn(2, 4, 6, 6).to(memory_format=torch.channels_last)

    for _ in range(2):
        optimizer.zero_grad()
        plain(images).square().mean().backward()
        optimizer.step()
        gradients.backward(owned(images).square().mean())

    assert owned.weight.grad is not None
    assert owned.weight.grad.stride() == owned.weight.stride()
    assert same(plain, owned)


@pytest.mark.parametrize("cleared", [False, True])
@pytest.mark.parametrize("clear", ["none", "zero"])
def test_a_model_that_is_cast_between_windows_trains_on(clear: str, cleared: bool) -> None:
    plain, owned = mlp(), mlp()
    alone = optim.SGD(plain.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optim.SGD(owned.parameters(), lr=0.1), clear=clear)
    gradients.backward(square(owned, 3, 0))
    square(plain, 3, 0).backward()  # type: ignore[no-untyped-call]
    alone.step()
    alone.zero_grad()

    if cleared:
        owned.zero_grad()
    plain.double()
    owned.double()
    for _ in range(2):
        inputs = torch.ones(2, 3, dtype=torch.float64)
        alone.zero_grad()
        plain(inputs).square().sum().backward()
        alone.step()
        gradients.backward(owned(inputs).square().sum())

    assert same(plain, owned)


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
def test_create_graph_does_not_put_the_clear_into_the_graph() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters(), lr=0.1), clear="zero")

    gradients.backward(square(model, 3, 0), create_graph=True)
    gradients.backward(square(model, 3, 1))

    assert all(p.grad is not None and not p.grad.requires_grad for p in model.parameters())


def test_a_dead_engine_leaves_no_buffers_behind() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters(), lr=0.1), clear="zero")
    gradients.backward(square(model, 3, 0))

    del gradients

    assert [parameter.grad for parameter in model.parameters()] == [None] * 4


@pytest.mark.parametrize("kind", [kind for kind in OPTIMIZERS if "foreach" not in kind])
def test_stepping_in_the_backward_is_bit_identical_state_included(kind: str) -> None:
    plain, owned = mlp(), mlp()
    optimizer, inside = OPTIMIZERS[kind](plain.parameters()), OPTIMIZERS[kind](owned.parameters())
    gradients = zerograd.Gradients(inside, step_in_backward=True)

    for seed in range(4):
        optimizer.zero_grad()
        mean_square(plain, 4, seed).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        gradients.backward(mean_square(owned, 4, seed), items=4)

    first, second = optimizer.state_dict(), inside.state_dict()
    assert same(plain, owned)
    assert first["param_groups"] == second["param_groups"]
    assert all(
        torch.equal(torch.as_tensor(value), torch.as_tensor(second["state"][index][name]))
        for index, state in first["state"].items()
        for name, value in state.items()
        if value is not None
    )


def test_stepping_in_the_backward_holds_one_gradient_at_a_time() -> None:
    model = mlp()
    held: list[int] = []

    class Counting(optim.SGD):
        def step(self, closure: Any = None) -> Any:
            held.append(sum(p.grad is not None for p in model.parameters()))
            return super().step(closure)

    gradients = zerograd.Gradients(
        Counting(model.parameters(), lr=0.1), step_in_backward=True, separable=True
    )

    step = gradients.backward(square(model, 3, 0))

    assert step
    assert max(held) <= 2
    assert len(held) == 4


def test_stepping_in_the_backward_of_a_sum_divides_by_its_items() -> None:
    weight = nn.Parameter(torch.zeros(1))
    gradients = zerograd.Gradients(
        optim.SGD([weight], lr=1.0), step_in_backward=True, reduction="sum", clip_value=3.0
    )

    gradients.backward((weight * 8).sum(), items=4)
    gradients.backward((weight * 80).sum(), items=4)

    assert weight.item() == -5.0


def test_stepping_in_the_backward_refuses_reentrant_checkpointing() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()), step_in_backward=True)
    inputs = torch.ones(1, 3, requires_grad=True)

    with pytest.raises(ArgumentError, match="step_in_backward=True does not work with reentrant"):
        gradients.backward(checkpoint(model, inputs, use_reentrant=True).sum())


def test_stepping_in_the_backward_has_one_backward_a_micro_batch() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()), step_in_backward=True)

    def twice() -> None:
        with gradients.micro_batch():
            gradients.backward(square(model, 3, 0))
            gradients.backward(square(model, 3, 0))

    with pytest.raises(LifecycleError, match="ZG302 spent-twice"):
        twice()
