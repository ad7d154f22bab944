"""What a program has set around a step: a default dtype, hooks of the optimizer, torch.compile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from engine_cases import OPTIMIZERS, batch, mlp, same, square
from torch import nn, optim
from torch.optim.optimizer import register_optimizer_step_pre_hook

import zerograd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch.optim import Optimizer


@pytest.fixture(params=[torch.float64, torch.bfloat16], ids=str)
def another_default(request: pytest.FixtureRequest) -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(request.param)
    yield
    torch.set_default_dtype(before)


@pytest.mark.usefixtures("another_default")
@pytest.mark.parametrize("kind", ["adamw", "adamw-fused"])
@pytest.mark.parametrize("policy", ["skip", "raise", "scaler"])
def test_verdicts_need_no_default_dtype(policy: str, kind: str) -> None:
    weight = nn.Parameter(torch.ones(3, dtype=torch.float32))
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0) if policy == "scaler" else None
    gradients = zerograd.Gradients(
        OPTIMIZERS[kind]([weight]),
        accumulate=2,
        scaler=scaler,
        nonfinite="propagate" if scaler else policy,
        clip_norm=1.0,
    )

    steps = [gradients.backward(weight.sum()) for _ in range(2)]

    assert steps[1] is not None
    assert steps[1].applied
    assert steps[1].norm == pytest.approx(3**0.5)


def halving(optimizer: Optimizer, *_: object) -> None:
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad.clamp_(-0.01, 0.01)


WAYS: dict[str, Callable[[Optimizer], Any]] = {
    "of one": lambda optimizer: optimizer.register_step_pre_hook(halving),
    "of all": lambda _: register_optimizer_step_pre_hook(halving),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["adamw", "adamw-fused", "sgd-fused", "adagrad-fused"])
def test_a_hook_before_a_step_finds_what_the_hand_written_loop_finds(kind: str, way: str) -> None:
    plain, owned = mlp(), mlp()
    by_hand, by_engine = (OPTIMIZERS[kind](model.parameters()) for model in (plain, owned))
    hooks = [WAYS[way](optimizer) for optimizer in (by_hand, by_engine)]
    gradients = zerograd.Gradients(by_engine, accumulate=4)

    for seed in range(4):
        (square(plain, 3, seed) / 4).backward()  # type: ignore[no-untyped-call]
        gradients.backward(square(owned, 3, seed))
    by_hand.step()
    for hook in hooks:
        hook.remove()

    assert same(plain, owned)


def test_without_such_a_hook_the_fused_kernel_divides() -> None:
    weight = nn.Parameter(torch.zeros(2))
    optimizer = optim.SGD([weight], lr=1.0, fused=True)
    divisors = []
    optimizer.register_step_post_hook(lambda *_: divisors.append(float(optimizer.grad_scale)))  # type: ignore[attr-defined]
    gradients = zerograd.Gradients(optimizer, accumulate=2)

    for _ in range(2):
        gradients.backward(weight.sum())

    assert divisors == [2.0]


def test_a_compiled_training_step_leaves_the_engine_to_python() -> None:
    plain, owned = mlp(), mlp()
    by_hand = optim.AdamW(plain.parameters(), lr=0.01)
    gradients = zerograd.Gradients(optim.AdamW(owned.parameters(), lr=0.01), accumulate=2)
    compiled = []

    def backend(graph: torch.fx.GraphModule, inputs: object) -> object:
        del inputs
        compiled.append(graph)
        return graph

    @torch.compile(backend=backend)
    def train(inputs: torch.Tensor) -> object:
        return gradients.backward(owned(inputs).square().mean())

    for seed in range(4):
        inputs, _ = batch(3, seed)
        (plain(inputs).square().mean() / 2).backward()
        train(inputs)
        if seed % 2:
            by_hand.step()
            by_hand.zero_grad()

    assert gradients.steps == 2
    assert len(compiled) == 1
    assert same(plain, owned)
