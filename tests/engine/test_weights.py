"""Weights of micro-batches never pass through 16 bits, and counts are never summed there."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from engine_cases import distance, mlp, square, true_gradient, uncancelled_norm
from torch import nn, optim
from torch.nn.functional import mse_loss

import zerograd
from zerograd.engine import nonfinite

NARROW = [torch.float16, torch.bfloat16]


def spending(weight: nn.Parameter, **options: Any) -> tuple[zerograd.Gradients, list[float]]:
    spent: list[float] = []
    gradients = zerograd.Gradients(
        optim.SGD([weight], lr=1.0),
        accumulate=None,
        on_step=lambda _: spent.append(weight.grad.item()),  # type: ignore[union-attr]
        **options,
    )
    return gradients, spent


def mean_loss_in_half(model: nn.Module, size: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    inputs = torch.randn(size, 3, generator=generator)
    with torch.autocast("cpu", dtype=torch.float16):
        outputs = model(inputs)
    return mse_loss(outputs.float(), torch.zeros(size, 2))


@pytest.mark.parametrize("counts", [[1, 4096], [4096, 1]])
def test_a_scaler_skips_no_window_because_of_unequal_counts(counts: list[int]) -> None:
    model = mlp()
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**13)
    gradients = zerograd.Gradients(
        optim.SGD(model.parameters(), lr=0.01), accumulate=2, scaler=scaler
    )

    for window in range(12):
        for items in counts:
            gradients.backward(mean_loss_in_half(model, 8, window), items=items)

    assert (gradients.steps, gradients.skipped) == (12, 0)


def test_a_scale_that_overflows_by_itself_is_skipped_so_the_test_above_can_fail() -> None:
    model = mlp()
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**30)
    gradients = zerograd.Gradients(optim.SGD(model.parameters(), lr=0.01), scaler=scaler)

    gradients.backward(mean_loss_in_half(model, 8, 0), items=1)

    assert gradients.skipped == 1


def test_half_precision_without_a_scaler_is_found_in_the_graph() -> None:
    model = mlp()
    model[2].weight.data.mul_(10)  # type: ignore[operator]
    gradients = zerograd.Gradients(
        optim.SGD(model.parameters(), lr=1e-9), accumulate=2, nonfinite="skip"
    )

    gradients.backward(mean_loss_in_half(model, 8, 0), items=1)
    step = gradients.backward(mean_loss_in_half(model, 8, 1), items=60_000)

    assert step is not None
    assert step.applied


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("face", [None, torch.float32])
@pytest.mark.parametrize("counts", [[3, 7, 1], [1, 3, 4097], [4097, 1, 2]])
def test_a_16_bit_mean_is_weighted_in_the_parameters_own_precision(
    dtype: torch.dtype, face: torch.dtype | None, counts: list[int]
) -> None:
    weight = nn.Parameter(torch.zeros(1))
    gradients, spent = spending(weight)

    for gradient, items in zip((1.0, 2.0, -4.0), counts, strict=True):
        loss = (weight * gradient).sum().to(dtype)
        gradients.backward(loss.to(face or dtype) + 1, items=items)
    gradients.step()

    first, second, third = counts
    exact = (first + 2 * second - 4 * third) / sum(counts)
    assert spent[0] == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("counts", [[3, 7, 1], [1, 3, 4097], [4097, 1, 2], [0.3, 0.7, 5.0]])
def test_a_16_bit_sum_is_divided_in_the_parameters_own_precision(
    dtype: torch.dtype, counts: list[float]
) -> None:
    weight = nn.Parameter(torch.zeros(1))
    gradients, spent = spending(weight, reduction="sum")

    for gradient, items in zip((1.0, 2.0, -4.0), counts, strict=True):
        gradients.backward((weight * gradient).sum().to(dtype), items=items)
    gradients.step()

    assert spent[0] == pytest.approx(-1 / sum(counts), rel=1e-6)


def test_naive_a_weight_that_passes_through_bf16_is_rounded_to_8_bits() -> None:
    weight = nn.Parameter(torch.zeros(1))
    loss = weight.sum().bfloat16()

    loss.float().backward(torch.tensor(1 / 3))  # type: ignore[no-untyped-call]

    assert weight.grad.item() != pytest.approx(1 / 3, rel=1e-4)  # type: ignore[union-attr]


def test_an_fp16_account_is_never_multiplied_by_more_than_one() -> None:
    weight = nn.Parameter(torch.zeros(1, dtype=torch.float16))
    gradients, spent = spending(weight)

    for items in (1, 60_000, 2):
        gradients.backward((weight * 10).sum(), items=items)
    gradients.step()

    assert spent == [10.0]


@pytest.mark.parametrize("clear", ["none", "zero"])
def test_an_fp16_window_is_the_same_in_any_order_of_its_counts(clear: str) -> None:
    weight = nn.Parameter(torch.zeros(1, dtype=torch.float16))
    gradients, spent = spending(weight, clear=clear)

    for order in ((1, 4, 64), (64, 4, 1), (4, 64, 1)):
        for items in order:
            gradients.backward((weight * items).sum(), items=items)
        gradients.step()

    exact = (1 + 16 + 64 * 64) / 69
    assert spent == pytest.approx([exact] * 3, rel=3 * 2.0**-11)


def test_a_parameter_that_nothing_reached_stays_unreached_when_the_window_is_rescaled() -> None:
    used, unused = (nn.Parameter(torch.ones(1, dtype=torch.float16)) for _ in range(2))
    gradients = zerograd.Gradients(
        optim.AdamW([used, unused], lr=0.1, weight_decay=0.5), accumulate=2, clear="zero"
    )
    for items in (1, 1, 1, 60_000):
        gradients.backward(used.sum() + (unused.sum() if gradients.steps == 0 else 0), items=items)
    moved = unused.item()

    for items in (1, 60_000):
        gradients.backward(used.sum(), items=items)

    assert moved < 1
    assert unused.item() == moved


class Asking(optim.SGD):
    """Keeps the losses that its closure returns."""

    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        self.returned = float(closure())


def test_a_closure_in_fp16_returns_the_mean_loss_whatever_the_counts() -> None:
    weight = nn.Parameter(torch.ones(1, dtype=torch.float16))
    optimizer = Asking([weight])
    gradients = zerograd.Gradients(optimizer, accumulate=None)

    def closure() -> None:
        gradients.backward((weight * 2).sum(), items=1)
        gradients.backward((weight * 6).sum(), items=3)

    gradients.step(closure)

    assert optimizer.returned == 5.0


def test_hooks_of_the_engine_are_gone_after_a_weighted_backward() -> None:
    weight = nn.Parameter(torch.zeros(1))
    gradients, _ = spending(weight)

    gradients.backward(weight.sum().bfloat16(), items=3)
    gradients.backward(weight.sum().bfloat16(), items=7)

    assert not weight._backward_hooks
    gradients.discard()


def test_a_hook_of_the_users_own_sees_the_gradient_before_its_weight() -> None:
    weight = nn.Parameter(torch.zeros(1))
    seen: list[float] = []
    weight.register_hook(lambda grad: seen.append(grad.item()))  # type: ignore[no-untyped-call]
    gradients, _ = spending(weight)

    for items in (3, 7):
        gradients.backward(weight.sum().bfloat16(), items=items)

    assert seen == [1.0, 1.0]
    gradients.discard()


@pytest.mark.parametrize("only_own", [False, True])
def test_unequal_counts_under_bf16_autocast_stay_at_bf16_round_off(only_own: bool) -> None:
    model = mlp()
    errors: list[float] = []
    samples = [(5, 0), (2, 1), (7, 2)]
    before, expected = mlp(), true_gradient(model, samples)
    gradients = zerograd.Gradients(
        optim.SGD(model.parameters(), lr=0.1),
        accumulate=3,
        only_own=only_own,
        on_step=lambda _: errors.append(distance([p.grad for p in model.parameters()], expected)),
    )

    for size, seed in samples:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = square(model, size, seed)
        gradients.backward(loss.bfloat16(), items=size)

    # A term is rounded to 8 bits less than 16 times: inputs, weights, two layers, tanh, and back.
    assert max(errors) < 16 * 2.0**-8 * uncancelled_norm(before, samples)


COUNTS = [
    (torch.uint8, [200, 200, 200]),
    (torch.int8, [100, 100, 100]),
    (torch.float16, [2049.0, 1.0, 1.0]),
    (torch.bfloat16, [300.0, 1.0, 1.0]),
    (torch.int16, [30_000, 30_000, 30_000]),
    (torch.float32, [2.0**24, 1.0, 1.0]),
]


@pytest.mark.parametrize(("dtype", "counts"), COUNTS, ids=str)
@pytest.mark.parametrize("stalls", [False, True])
def test_counts_in_tensors_are_summed_exactly(
    dtype: torch.dtype, counts: list[float], stalls: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nonfinite, "stalls", lambda _: stalls)
    weight = nn.Parameter(torch.zeros(1))
    gradients = zerograd.Gradients(optim.SGD([weight]), accumulate=3, reduction="sum")
    told = [torch.tensor(count, dtype=dtype) for count in counts]

    for items in told:
        step = gradients.backward(weight.sum(), items=items)

    assert step is not None
    assert step.items == sum(items.double().item() for items in told)


def test_naive_a_sum_of_small_integers_wraps() -> None:
    counts = torch.tensor([200, 200, 200], dtype=torch.uint8)

    total = counts[0] + counts[1] + counts[2]

    assert total.item() == 88


def test_a_count_of_zero_in_a_tensor_is_a_count_of_zero() -> None:
    used, unused = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
    gradients = zerograd.Gradients(
        optim.AdamW([used, unused], lr=0.1, weight_decay=0.5), accumulate=2, reduction="sum"
    )

    gradients.backward(used.sum(), items=torch.tensor(4))
    gradients.backward(unused.sum() * float("nan"), items=torch.tensor(0))

    assert unused.item() == 1.0
    assert used.item() < 1.0


@pytest.mark.parametrize("count", [-1, float("nan"), float("inf")])
def test_a_count_in_a_tensor_is_refused_like_the_number(count: float) -> None:
    weight = nn.Parameter(torch.ones(1))
    gradients = zerograd.Gradients(optim.SGD([weight]), reduction="sum")

    with pytest.raises(zerograd.errors.ArgumentError) as refused:
        gradients.backward(weight.sum(), items=torch.tensor(count))

    assert str(refused.value) == f"items must be a finite count, 0 or more, got {count}"


def test_a_mask_in_a_tensor_is_no_count() -> None:
    weight = nn.Parameter(torch.ones(1))
    gradients = zerograd.Gradients(optim.SGD([weight]), reduction="sum")

    with pytest.raises(zerograd.errors.ArgumentError) as refused:
        gradients.backward(weight.sum(), items=torch.tensor(True))

    assert (
        str(refused.value) == "items is a count, got a tensor of torch.bool; write items=mask.sum()"
    )
