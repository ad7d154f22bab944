"""What a step costs does not grow with the engines that live beside it."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import torch
from torch import nn, optim

import zerograd


def engines(count: int) -> list[tuple[nn.Parameter, zerograd.Gradients]]:
    weights = [nn.Parameter(torch.zeros(1)) for _ in range(count)]
    return [(weight, zerograd.Gradients(optim.SGD([weight], lr=0.1))) for weight in weights]


def calls_of(step: Any) -> int:
    """How many functions, of Python and of C, a step calls."""
    seen: list[str] = []

    def hear(_frame: object, event: str, _argument: object) -> None:
        seen.append(event)

    sys.setprofile(hear)
    try:
        step()
    finally:
        sys.setprofile(None)
    return sum(event in ("call", "c_call") for event in seen)


@pytest.mark.parametrize("scaled", [False, True])
def test_a_step_among_fifty_engines_makes_the_calls_of_a_step_among_two(scaled: bool) -> None:
    counts = []
    for others in (1, 50):
        weight = nn.Parameter(torch.zeros(1))
        gradients = zerograd.Gradients(
            optim.SGD([weight], lr=0.1),
            scaler=torch.amp.GradScaler("cpu", init_scale=2.0) if scaled else None,
        )
        beside = engines(others)
        for _ in range(2):
            gradients.backward(weight.sum())

        counts.append(calls_of(lambda g=gradients, w=weight: g.backward(w.sum())))
        del beside

    assert counts[0] == counts[1]


def test_a_foreign_step_clear_and_backward_among_fifty_engines_ask_nobody() -> None:
    weight = nn.Parameter(torch.zeros(1))
    optimizer = optim.SGD([weight], lr=0.1)
    loss = (weight * 2).sum()

    def step() -> None:
        optimizer.zero_grad()
        loss.backward(retain_graph=True)  # type: ignore[no-untyped-call]

    counts = []
    for others in (1, 50):
        beside = engines(others)
        step()
        counts.append(calls_of(step))
        del beside

    assert counts[0] == counts[1]


def test_an_engine_that_a_later_graph_reaches_is_found_and_kept_apart() -> None:
    torch.manual_seed(3)
    generator, critic = nn.Linear(2, 2, bias=False), nn.Linear(2, 1, bias=False)
    first = zerograd.Gradients(optim.SGD(generator.parameters(), lr=1.0))
    second = zerograd.Gradients(optim.SGD(critic.parameters(), lr=1.0))
    first.backward(generator(torch.ones(1, 2)).sum())
    before = critic.weight.detach().clone()

    first.backward(critic(generator(torch.ones(1, 2))).sum())
    second.backward(critic(torch.ones(1, 2)).sum())
    first.backward(critic(generator(torch.ones(1, 2))).sum())

    assert torch.equal(critic.weight, before - 1)
    assert critic.weight.grad is None
