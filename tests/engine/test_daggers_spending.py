"""Where the naive way of spending fails on torch 2.13, and the engine does not."""

from __future__ import annotations

import math

import pytest
import torch
from engine_cases import FUSED, OPTIMIZERS, mean_square, mlp, same
from torch import nn, optim

import zerograd

IGNORING = {
    "rmsprop": optim.RMSprop,
    "nadam": optim.NAdam,
    "adamax": optim.Adamax,
    "muon": optim.Muon,
}


def matrix(value: float = 1.0) -> nn.Parameter:
    return nn.Parameter(torch.full((2, 2), value))


@pytest.mark.parametrize("kind", ["sgd", "adam-foreach", "adamw", "adagrad"])
def test_naive_grad_scale_on_a_kernel_that_is_not_fused_asserts(kind: str) -> None:
    weight = matrix()
    optimizer = OPTIMIZERS[kind]([weight])
    weight.grad = torch.ones(2, 2)
    optimizer.grad_scale = torch.tensor(2.0)  # type: ignore[attr-defined]

    with pytest.raises(AssertionError, match="Expected grad_scale and found_inf to be None"):
        optimizer.step()


@pytest.mark.parametrize("kind", IGNORING)
def test_naive_grad_scale_is_ignored_without_a_word_by_others(kind: str) -> None:
    scaled, plain = matrix(), matrix()
    first, second = IGNORING[kind]([scaled], lr=0.1), IGNORING[kind]([plain], lr=0.1)
    scaled.grad = torch.full((2, 2), 1e-6)
    plain.grad = torch.full((2, 2), 1e-6)

    first.grad_scale = torch.tensor(1e6)
    first.step()
    second.step()

    assert torch.equal(scaled, plain)


@pytest.mark.parametrize("kind", [*IGNORING, "sgd", "adam-foreach", "adamw", "adagrad-fused"])
def test_the_engine_divides_for_every_kernel(kind: str) -> None:
    weight = matrix()
    make = OPTIMIZERS.get(kind) or (lambda parameters: IGNORING[kind](parameters, lr=0.1))
    spent = []
    gradients = zerograd.Gradients(
        make([weight]),
        accumulate=2,
        on_step=lambda _: spent.append(weight.grad.flatten().tolist()),  # type: ignore[union-attr]
    )

    gradients.backward((weight * 3).sum())
    gradients.backward((weight * 5).sum())

    assert spent == [[4.0] * 4]


@pytest.mark.parametrize("kind", FUSED)
def test_the_divisor_is_gone_after_the_step(kind: str) -> None:
    weight = matrix()
    optimizer = OPTIMIZERS[kind]([weight])
    gradients = zerograd.Gradients(optimizer, accumulate=3, nonfinite="skip")

    for _ in range(3):
        gradients.backward(weight.sum())

    assert not hasattr(optimizer, "grad_scale")
    assert not hasattr(optimizer, "found_inf")


def test_the_divisor_is_gone_after_a_step_that_raises() -> None:
    weight = matrix()
    optimizer = OPTIMIZERS["adamw-fused"]([weight])
    gradients = zerograd.Gradients(optimizer, accumulate=3)
    gradients.backward(weight.sum())
    gradients.backward(weight.sum())
    optimizer.param_groups[0]["lr"] = "ten"

    with pytest.raises((TypeError, RuntimeError)):
        gradients.backward(weight.sum())

    assert not hasattr(optimizer, "grad_scale")
    assert gradients.discarded == 1


def test_naive_scaler_multiplies_an_own_grad_scale_and_deletes_it() -> None:
    weight = matrix()
    optimizer = optim.SGD([weight], lr=1.0, fused=True)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    scaler.scale(weight.sum()).backward()  # type: ignore[no-untyped-call]
    optimizer.grad_scale = torch.tensor(2.0)  # type: ignore[attr-defined]

    scaler.step(optimizer)

    assert torch.equal(weight.grad, torch.full((2, 2), 0.5))  # type: ignore[arg-type]
    assert not hasattr(optimizer, "grad_scale")


def test_the_engine_divides_by_the_scale_once() -> None:
    weight = matrix()
    optimizer = optim.SGD([weight], lr=1.0, fused=True)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    gradients = zerograd.Gradients(optimizer, scaler=scaler, accumulate=2, clip_norm=100.0)

    gradients.backward(weight.sum())
    gradients.backward(weight.sum())

    assert torch.equal(weight, torch.zeros(2, 2))


def test_naive_skip_of_fused_momentum_leaves_an_uninitialised_buffer() -> None:
    weight = nn.Parameter(torch.zeros(4096))
    optimizer = optim.SGD([weight], lr=1.0, momentum=0.9, fused=True)
    weight.grad = torch.ones(4096)
    optimizer.found_inf = torch.ones(())  # type: ignore[attr-defined]

    optimizer.step()

    # Created by `empty_like` and never written: it may even look like zeros, so only its
    # presence, which makes the next step add to it, is certain.
    assert "momentum_buffer" in optimizer.state[weight]


@pytest.mark.parametrize("dampening", [0.0, 0.5])
def test_momentum_after_a_skipped_first_step_is_the_loop_that_never_had_it(
    dampening: float,
) -> None:
    plain, owned = mlp(), mlp()
    options = {"lr": 0.1, "momentum": 0.9, "dampening": dampening, "fused": True}
    optimizer = optim.SGD(plain.parameters(), **options)  # type: ignore[arg-type]
    gradients = zerograd.Gradients(
        optim.SGD(owned.parameters(), **options),  # type: ignore[arg-type]
        nonfinite="skip",
    )

    skipped = gradients.backward(mean_square(owned, 4, 0) * math.inf)
    for seed in range(1, 4):
        optimizer.zero_grad()
        mean_square(plain, 4, seed).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        gradients.backward(mean_square(owned, 4, seed))

    assert skipped is not None
    assert not skipped.applied
    assert same(plain, owned)


def test_naive_norm_of_half_gradients_overflows() -> None:
    grads = [torch.full((100,), 2.0**15, dtype=torch.float16)]

    naive = torch.nn.utils.get_total_norm(grads)

    assert naive.dtype is torch.float16
    assert torch.isinf(naive)


def test_the_engine_takes_norms_of_half_gradients_in_fp32() -> None:
    weight = nn.Parameter(torch.zeros(100, dtype=torch.float16))
    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0), clip_norm=10.0)

    step = gradients.backward((weight * 2.0**15).sum(dtype=torch.float32))

    assert step is not None
    assert step.norm == 10 * 2.0**15
    assert torch.equal(weight, torch.full((100,), -1.0, dtype=torch.float16))


def test_naive_norm_of_sparse_gradients_is_refused() -> None:
    table = nn.Embedding(10, 3, sparse=True)
    table(torch.tensor([1, 1, 4])).sum().backward()

    with pytest.raises(NotImplementedError):
        torch._foreach_norm([table.weight.grad])  # type: ignore[list-item]


def test_the_engine_clips_sparse_and_dense_gradients_by_their_joint_norm() -> None:
    table, head = nn.Embedding(10, 3, sparse=True), nn.Linear(3, 1)
    before = table.weight.detach().clone()
    gradients = zerograd.Gradients(
        [optim.SGD(table.parameters(), lr=1.0), optim.SGD(head.parameters(), lr=1.0)],
        accumulate=2,
        clip_norm=0.5,
    )

    gradients.backward(head(table(torch.tensor([1, 1, 4]))).sum(), items=3)
    step = gradients.backward(head(table(torch.tensor([4]))).sum(), items=1)

    moved = (table.weight - before).norm().item() ** 2
    assert step is not None
    assert step.clipped
    assert 0 < moved < 0.25
    assert torch.equal(table.weight[0], before[0])


def test_naive_loop_moves_a_parameter_that_was_zeroed_and_not_reached() -> None:
    first, second = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
    optimizer = optim.AdamW([first, second], lr=0.1)
    (first.sum() + second.sum()).backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)
    before = second.detach().clone()

    first.sum().backward()  # type: ignore[no-untyped-call]
    optimizer.step()

    assert not torch.equal(second, before)


@pytest.mark.parametrize("clear", ["none", "zero"])
def test_a_parameter_that_no_backward_reached_stays_where_it_is(clear: str) -> None:
    first, second = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
    gradients = zerograd.Gradients(optim.AdamW([first, second], lr=0.1), clear=clear)
    gradients.backward(first.sum() + second.sum())
    before = second.detach().clone()

    gradients.backward(first.sum())

    assert torch.equal(second, before)
    assert not torch.equal(first, before)
