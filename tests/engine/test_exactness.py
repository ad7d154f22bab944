"""What is spent is the gradient of the mean over all items of the window, at fp32 round-off."""

from __future__ import annotations

import torch
from engine_cases import (
    OPTIMIZERS,
    ROUND_OFF,
    clipped,
    distance,
    flat,
    mlp,
    square,
    true_gradient,
    uncancelled_norm,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import zerograd

sizes = st.lists(st.integers(0, 6), min_size=1, max_size=9)
reductions = st.sampled_from(["mean", "sum"])


class Truth:
    """Compares what each window spends with the fp64 gradient of all its samples."""

    def __init__(self, model: torch.nn.Module, limit: float | None) -> None:
        self.model = model
        self.limit = limit
        self.samples: list[tuple[int, int]] = []
        self.expected: list[torch.Tensor] = []
        self.scale = 0.0
        self.errors: list[float] = []

    def add(self, size: int, seed: int) -> None:
        if size:
            self.samples.append((size, seed))
            whole = true_gradient(self.model, self.samples)
            self.expected = clipped(whole, self.limit)
            kept = float(flat(self.expected).norm() / flat(whole).norm())
            self.scale = kept * uncancelled_norm(self.model, self.samples)

    def compare(self, _: object) -> None:
        if self.samples:
            spent = [parameter.grad for parameter in self.model.parameters()]
            self.errors.append(distance(spent, self.expected) / self.scale)
        self.samples = []


@settings(max_examples=80, deadline=None)
@given(
    sizes=sizes,
    accumulate=st.integers(1, 4),
    reduction=reductions,
    kind=st.sampled_from(sorted(OPTIMIZERS)),
    limit=st.sampled_from([None, 0.05, 1.0, 1e6]),
    clear=st.sampled_from(["none", "zero"]),
    pieces=st.integers(1, 3),
)
def test_every_window_spends_the_full_batch_gradient(
    sizes: list[int],
    accumulate: int,
    reduction: str,
    kind: str,
    limit: float | None,
    clear: str,
    pieces: int,
) -> None:
    model = mlp()
    truth = Truth(model, limit)
    gradients = zerograd.Gradients(
        OPTIMIZERS[kind](model.parameters()),
        accumulate=accumulate,
        clip_norm=limit,
        reduction=reduction,
        clear=clear,
        on_step=truth.compare,
    )

    for seed, size in enumerate(gradients.batches(sizes)):
        truth.add(size, seed)
        with gradients.micro_batch(items=size):
            for _ in range(pieces):
                gradients.backward(square(model, size, seed, reduction) / pieces)

    assert gradients.steps == -(-len(sizes) // accumulate)
    assert max(truth.errors, default=0.0) < ROUND_OFF


@settings(max_examples=40, deadline=None)
@given(
    epochs=st.lists(sizes, min_size=2, max_size=3),
    stops=st.lists(st.integers(0, 9), min_size=3, max_size=3),
    accumulate=st.integers(1, 4),
    tail=st.sampled_from(["step", "carry", "drop"]),
    reduction=reductions,
)
def test_breaks_and_tails_never_mix_or_lose_weights(
    epochs: list[list[int]], stops: list[int], accumulate: int, tail: str, reduction: str
) -> None:
    model = mlp()
    truth = Truth(model, None)
    gradients = zerograd.Gradients(
        OPTIMIZERS["sgd-fused"](model.parameters()),
        accumulate=accumulate,
        tail=tail,
        on_step=truth.compare,
    )

    for epoch, (sizes, stop) in enumerate(zip(epochs, stops, strict=False)):
        if tail == "drop":
            truth.samples = []
        for index, size in enumerate(gradients.batches(iter(sizes))):
            seed = 100 * epoch + index
            if tail == "drop" and len(truth.samples) and not gradients._keeper.books.window.is_open:
                truth.samples = []
            truth.add(size, seed)
            gradients.backward(
                square(model, size, seed, reduction), items=size, reduction=reduction
            )
            if index == stop:
                break
    gradients.flush("step")

    assert max(truth.errors, default=0.0) < ROUND_OFF


@settings(max_examples=12, deadline=None)
@given(sizes=st.lists(st.integers(1, 6), min_size=1, max_size=4), reduction=reductions)
def test_every_evaluation_of_lbfgs_sees_the_full_batch_gradient(
    sizes: list[int], reduction: str
) -> None:
    model = mlp()
    samples = [(size, seed) for seed, size in enumerate(sizes)]
    errors: list[float] = []

    def compare(parameters: list[torch.Tensor]) -> None:
        spent = [parameter.grad for parameter in parameters]
        with torch.enable_grad():
            error = distance(spent, true_gradient(model, samples))
            errors.append(error / uncancelled_norm(model, samples))

    gradients = zerograd.Gradients(
        torch.optim.LBFGS(model.parameters(), max_iter=4), accumulate=None, transform=compare
    )

    def closure() -> None:
        for size, seed in samples:
            gradients.backward(
                square(model, size, seed, reduction), items=size, reduction=reduction
            )

    gradients.step(closure)

    assert len(errors) > 1
    assert max(errors) < ROUND_OFF


def test_a_window_of_means_that_are_not_weighted_would_be_noticed() -> None:
    model = mlp()
    truth = Truth(model, None)
    gradients = zerograd.Gradients(
        OPTIMIZERS["sgd"](model.parameters()), accumulate=2, on_step=truth.compare
    )

    for seed, size in enumerate((6, 5)):
        truth.add(size, seed)
        gradients.backward(square(model, size, seed))

    assert min(truth.errors) > ROUND_OFF


def test_ten_micro_batches_in_windows_of_four_spend_six_times_exactly_one() -> None:
    weight = torch.nn.Parameter(torch.zeros(1))
    spent: list[float] = []
    gradients = zerograd.Gradients(
        torch.optim.SGD([weight], lr=1.0),
        accumulate=4,
        on_step=lambda _: spent.append(weight.grad.item()),  # type: ignore[union-attr]
    )

    for _ in range(2):
        for _ in gradients.batches(range(10)):
            gradients.backward(weight.sum())

    assert spent == [1.0] * 6


def test_naive_textbook_loop_spends_a_leaked_tail_instead() -> None:
    weight = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    spent: list[float] = []

    for _ in range(2):
        for index in range(10):
            (weight.sum() / 4).backward()  # type: ignore[no-untyped-call]
            if (index + 1) % 4 == 0:
                spent.append(weight.grad.item())  # type: ignore[union-attr]
                optimizer.step()
                optimizer.zero_grad()

    assert spent == [1.0, 1.0, 1.5, 1.0]
