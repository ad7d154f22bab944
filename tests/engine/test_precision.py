"""16-bit parameters summed in fp32 are the fp64 sum, rounded once."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from needed_torch import WIDE_SUMS
from torch import nn, optim

import zerograd

WIDTH = 16

BF16_ROUND_OFF = 2.0**-8
"""One rounding to bf16."""


def micro_gradients(count: int, seed: int, dtype: torch.dtype) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(count, WIDTH, generator=generator).to(dtype)


def spend(weight: nn.Parameter, optimizer: optim.Optimizer, **options: Any) -> Any:
    spent: list[torch.Tensor] = []
    gradients = zerograd.Gradients(
        optimizer,
        accumulate=None,
        on_step=lambda _: spent.append(weight.grad.clone()),  # type: ignore[union-attr]
        **options,
    )
    return gradients, spent


@WIDE_SUMS
@settings(max_examples=100, deadline=None)
@given(
    counts=st.lists(st.integers(1, 9), min_size=1, max_size=40),
    seed=st.integers(0, 1000),
    dtype=st.sampled_from([torch.bfloat16, torch.float16]),
    fused=st.booleans(),
)
def test_a_window_is_the_fp64_mean_rounded_once(
    counts: list[int], seed: int, dtype: torch.dtype, fused: bool
) -> None:
    weight = nn.Parameter(torch.zeros(WIDTH, dtype=dtype))
    optimizer = optim.SGD([weight], lr=0.1, fused=fused)
    gradients, spent = spend(weight, optimizer, accumulate_dtype=torch.float32)
    deposits = micro_gradients(len(counts), seed, dtype)

    for deposit, count in zip(deposits, counts, strict=True):
        gradients.backward((weight * deposit).sum(), items=count)
    gradients.step()

    weights = torch.tensor(counts, dtype=torch.float64)[:, None]
    exact = (deposits.double() * weights).sum(0) / weights.sum()
    # What the rounding of fp32 can move is told by the terms, which may cancel each other.
    moved = (deposits.double() * weights).abs().sum(0) / weights.sum() * len(counts) * 2.0**-23
    assert torch.all((exact - moved).to(dtype) <= spent[0])
    assert torch.all(spent[0] <= (exact + moved).to(dtype))


@WIDE_SUMS
def test_naive_sums_in_sixteen_bits_lose_what_the_engine_keeps() -> None:
    naive, owned = (nn.Parameter(torch.zeros(WIDTH, dtype=torch.bfloat16)) for _ in range(2))
    gradients, spent = spend(owned, optim.SGD([owned], lr=0.1), accumulate_dtype=torch.float32)
    deposits = micro_gradients(256, 0, torch.bfloat16)
    exact = deposits.double().mean(0)

    for deposit in deposits:
        (naive * deposit).sum().backward()
        gradients.backward((owned * deposit).sum())
    gradients.step()

    error = (naive.grad.double() / 256 - exact).norm() / exact.norm()  # type: ignore[union-attr]
    assert (spent[0].double() - exact).norm() / exact.norm() < BF16_ROUND_OFF < error


@WIDE_SUMS
@pytest.mark.parametrize("options", [{}, {"fused": True}])
def test_naive_fp32_gradients_of_16_bit_parameters_are_refused_by_adamw(
    options: dict[str, Any],
) -> None:
    weight = nn.Parameter(torch.zeros(4, dtype=torch.bfloat16))
    weight.grad_dtype = torch.float32
    optimizer = optim.AdamW([weight], **options)
    (weight * 2).sum().backward()  # type: ignore[no-untyped-call]

    with pytest.raises(RuntimeError):
        optimizer.step()


@WIDE_SUMS
@pytest.mark.parametrize("clear", ["none", "zero"])
@pytest.mark.parametrize("options", [{}, {"fused": True}])
def test_adamw_takes_what_the_engine_rounded(options: dict[str, Any], clear: str) -> None:
    plain, owned = (nn.Parameter(torch.ones(4, dtype=torch.bfloat16)) for _ in range(2))
    optimizer = optim.AdamW([plain], lr=0.1, **options)
    gradients = zerograd.Gradients(
        optim.AdamW([owned], lr=0.1, **options), accumulate_dtype=torch.float32, clear=clear
    )

    for factor in (2.0, 3.0, 5.0):
        optimizer.zero_grad()
        (plain * factor).sum().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        gradients.backward((owned * factor).sum())

    assert torch.equal(plain, owned)


@WIDE_SUMS
def test_the_clip_is_applied_before_the_rounding() -> None:
    weight = nn.Parameter(torch.zeros(WIDTH, dtype=torch.bfloat16))
    gradients, spent = spend(
        weight, optim.SGD([weight], lr=0.1), accumulate_dtype=torch.float32, clip_norm=0.3
    )
    deposits = micro_gradients(5, 1, torch.bfloat16)

    for deposit in deposits:
        gradients.backward((weight * deposit).sum())
    step = gradients.step()

    exact = deposits.double().mean(0)
    clipped = exact * (0.3 / exact.norm())
    # Before the one rounding to bf16 come five sums, a norm of sixteen squares and a division.
    moved = deposits.double().abs().mean(0) * (0.3 / exact.norm()) * 32 * 2.0**-24
    assert step.clipped
    assert torch.all((clipped - moved).to(torch.bfloat16) <= spent[0])
    assert torch.all(spent[0] <= (clipped + moved).to(torch.bfloat16))


@WIDE_SUMS
def test_wider_parameters_are_left_as_they_are() -> None:
    wide, narrow = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2, dtype=torch.bfloat16))
    gradients = zerograd.Gradients(
        optim.AdamW([wide, narrow]), accumulate_dtype=torch.float32, accumulate=None
    )

    gradients.backward(wide.sum() + narrow.sum())

    assert wide.grad is not None
    assert narrow.grad is not None
    assert (wide.grad.dtype, narrow.grad.dtype) == (torch.float32, torch.float32)
    gradients.step()


@WIDE_SUMS
def test_the_parameters_grad_dtype_is_given_back_with_the_engine() -> None:
    weight = nn.Parameter(torch.ones(2, dtype=torch.bfloat16))
    gradients = zerograd.Gradients(optim.SGD([weight]), accumulate_dtype=torch.float32)
    gradients.backward(weight.sum())

    del gradients

    assert weight.grad_dtype is torch.bfloat16
    assert weight.grad is None


def test_fp64_parameters_are_not_divided_in_fp32() -> None:
    weight = nn.Parameter(torch.zeros(WIDTH, dtype=torch.float64))
    gradients, spent = spend(weight, optim.AdamW([weight], fused=True))
    deposits = micro_gradients(3, 0, torch.float64)

    for deposit, count in zip(deposits, (3, 7, 1), strict=True):
        gradients.backward((weight * deposit).sum(), items=count)
    gradients.step()

    terms = deposits * torch.tensor([3.0, 7.0, 1.0]).double()[:, None] / 11
    # A weight, a product and two sums of each term, and one division; as many in the comparison.
    assert torch.all((spent[0] - terms.sum(0)).abs() <= 10 * 2.0**-53 * terms.abs().sum(0))


def test_complex_gradients_are_bounded_part_by_part_also_where_they_are_conjugates() -> None:
    weight = nn.Parameter(torch.zeros(1, dtype=torch.complex64))

    def conjugate(parameters: list[torch.Tensor]) -> None:
        for parameter in parameters:
            assert parameter.grad is not None
            parameter.grad = parameter.grad.conj()

    gradients, spent = spend(
        weight, optim.SGD([weight], lr=1.0), clip_value=0.5, transform=conjugate
    )
    gradients.backward((weight * (3 + 0.25j)).real.sum())
    gradients.step()

    assert [one.tolist() for one in spent] == [[0.5 + 0.25j]]
