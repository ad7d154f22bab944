"""Bit for bit the hand-written loop, where its arithmetic is exact."""

from __future__ import annotations

import pytest
import torch
from engine_cases import OPTIMIZERS, mean_square, mlp, same, square

import zerograd

KINDS = sorted(OPTIMIZERS)


@pytest.mark.parametrize("clear", ["none", "zero"])
@pytest.mark.parametrize("kind", KINDS)
def test_windows_of_one_are_the_plain_loop_at_any_count(kind: str, clear: str) -> None:
    plain, owned = mlp(), mlp()
    optimizer = OPTIMIZERS[kind](plain.parameters())
    gradients = zerograd.Gradients(OPTIMIZERS[kind](owned.parameters()), clear=clear)

    for seed, size in enumerate([7, 3, 1, 5, 7, 11]):
        optimizer.zero_grad()
        mean_square(plain, size, seed).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        gradients.backward(mean_square(owned, size, seed), items=size)

    assert same(plain, owned)


@pytest.mark.parametrize("kind", ["sgd-fused", "adamw", "adamw-fused"])
def test_windows_of_one_sum_are_the_loop_that_divides_the_sum(kind: str) -> None:
    plain, owned = mlp(), mlp()
    optimizer = OPTIMIZERS[kind](plain.parameters())
    gradients = zerograd.Gradients(OPTIMIZERS[kind](owned.parameters()), reduction="sum")

    for seed, size in enumerate([7, 3, 1, 5]):
        optimizer.zero_grad()
        (square(plain, size, seed, "sum") / size).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        gradients.backward(square(owned, size, seed, "sum"), items=size)

    assert same(plain, owned)


@pytest.mark.parametrize("window", [2, 4, 8])
@pytest.mark.parametrize("kind", KINDS)
def test_equal_micro_batches_are_loss_over_k_where_k_is_a_power_of_two(
    kind: str, window: int
) -> None:
    plain, owned = mlp(), mlp()
    optimizer = OPTIMIZERS[kind](plain.parameters())
    gradients = zerograd.Gradients(OPTIMIZERS[kind](owned.parameters()), accumulate=window)

    for seed in range(3 * window):
        (mean_square(plain, 5, seed) / window).backward()  # type: ignore[no-untyped-call]
        gradients.backward(mean_square(owned, 5, seed), items=5)
        if (seed + 1) % window == 0:
            optimizer.step()
            optimizer.zero_grad()

    assert same(plain, owned)


@pytest.mark.parametrize("kind", ["sgd", "sgd-fused", "adamw-foreach", "adamw-fused"])
def test_three_equal_micro_batches_are_their_sum_divided_by_exactly_three(kind: str) -> None:
    plain, owned = mlp(), mlp()
    optimizer = OPTIMIZERS[kind](plain.parameters())
    gradients = zerograd.Gradients(OPTIMIZERS[kind](owned.parameters()), accumulate=3)

    for seed in range(3):
        mean_square(plain, 7, seed).backward()  # type: ignore[no-untyped-call]
        gradients.backward(mean_square(owned, 7, seed), items=7)
    for parameter in plain.parameters():
        parameter.grad.div_(3)  # type: ignore[union-attr]
    optimizer.step()

    assert same(plain, owned)


def test_naive_multiplying_and_dividing_by_the_count_is_not_the_identity() -> None:
    gradient = torch.randn(1000)

    there_and_back = (gradient * 7) / 7

    assert not torch.equal(there_and_back, gradient)
