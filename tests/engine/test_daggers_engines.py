"""Where engines, scalers and loaders meet: the naive way beside the engine's."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch
from engine_cases import mlp, parameters_of, square
from torch import nn, optim
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, IterableDataset

import zerograd
from zerograd.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterator


def pair() -> tuple[nn.Linear, nn.Linear]:
    torch.manual_seed(3)
    return nn.Linear(2, 2, bias=False), nn.Linear(2, 1, bias=False)


def test_naive_accumulation_of_two_optimizers_mixes_their_losses() -> None:
    generator, critic = pair()
    fake = generator(torch.ones(1, 2))

    critic(fake.detach()).sum().backward()
    alone = critic.weight.grad.clone()  # type: ignore[union-attr]
    critic(fake).sum().backward()

    assert not torch.equal(critic.weight.grad, alone)  # type: ignore[arg-type]


def test_two_accumulating_engines_do_not_touch_each_other() -> None:
    generator, critic = pair()
    first = zerograd.Gradients(optim.SGD(generator.parameters(), lr=1.0), accumulate=2)
    second = zerograd.Gradients(optim.SGD(critic.parameters(), lr=1.0), accumulate=2)
    fake = generator(torch.ones(1, 2))

    second.backward(critic(fake.detach()).sum())
    alone = critic.weight.grad.clone()  # type: ignore[union-attr]
    first.backward(critic(fake).sum())

    assert torch.equal(critic.weight.grad, alone)  # type: ignore[arg-type]
    first.discard()
    second.discard()


def test_an_empty_account_of_another_engine_stays_empty() -> None:
    generator, critic = pair()
    first = zerograd.Gradients(optim.SGD(generator.parameters(), lr=1.0))
    second = zerograd.Gradients(optim.SGD(critic.parameters(), lr=1.0))

    first.backward(critic(generator(torch.ones(1, 2))).sum())

    assert critic.weight.grad is None
    assert second.steps == 0


def test_naive_inputs_with_reentrant_checkpointing_lose_gradients_silently() -> None:
    layer, head = pair()
    hidden = checkpoint(layer, torch.ones(1, 2, requires_grad=True), use_reentrant=True)

    torch.autograd.backward(head(hidden).sum(), inputs=list(layer.parameters()))

    assert layer.weight.grad is None


def test_only_own_refuses_reentrant_checkpointing_before_it_runs() -> None:
    layer, head = pair()
    gradients = zerograd.Gradients(optim.SGD(layer.parameters(), lr=1.0), only_own=True)
    hidden = checkpoint(layer, torch.ones(1, 2, requires_grad=True), use_reentrant=True)

    with pytest.raises(ArgumentError) as refused:
        gradients.backward(head(hidden).sum())

    assert str(refused.value) == (
        "only_own=True does not work with reentrant checkpointing; write "
        "torch.utils.checkpoint.checkpoint(..., use_reentrant=False)"
    )


def test_only_own_leaves_everybody_elses_accounts_alone() -> None:
    generator, critic = pair()
    gradients = zerograd.Gradients(optim.SGD(generator.parameters(), lr=1.0), only_own=True)

    step = gradients.backward(critic(generator(torch.ones(1, 2))).sum())

    assert step
    assert critic.weight.grad is None


def test_only_own_follows_requires_grad() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters(), lr=0.1), only_own=True)
    model[0].requires_grad_(False)
    frozen = parameters_of(model[0])

    step = gradients.backward(square(model, 4, 0))

    assert step
    assert all(map(torch.equal, parameters_of(model[0]), frozen))


def test_naive_scaler_decides_for_each_optimizer_by_itself() -> None:
    good, bad = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
    first, second = optim.SGD([good], lr=1.0), optim.SGD([bad], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
    scaler.scale(good.sum() + bad.sum() * torch.inf).backward()  # type: ignore[no-untyped-call]

    scaler.step(first)
    scaler.step(second)
    scaler.update()

    assert (good.item(), bad.item()) == (0.0, 1.0)


@pytest.mark.parametrize("fused", [False, True])
def test_one_scaler_decides_once_for_all_optimizers_of_an_engine(fused: bool) -> None:
    good, bad = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
    gradients = zerograd.Gradients(
        [optim.SGD([good], lr=1.0, fused=fused), optim.SGD([bad], lr=1.0, fused=fused)],
        scaler=scaler,
    )

    step = gradients.backward(good.sum() + bad.sum() * torch.inf)

    assert step is not None
    assert not step.applied
    assert (good.item(), bad.item()) == (1.0, 1.0)
    assert scaler.get_scale() == 1.0
    assert gradients.skipped == 1


def test_naive_windows_under_one_scaler_spend_wrong_sums() -> None:
    slow, fast = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
    second = optim.SGD([slow], lr=1.0)
    first = optim.SGD([fast], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=1)

    scaler.scale(slow.sum()).backward()  # type: ignore[no-untyped-call]
    scaler.scale(fast.sum()).backward()  # type: ignore[no-untyped-call]
    scaler.step(first)
    scaler.update()
    scaler.scale(slow.sum()).backward()  # type: ignore[no-untyped-call]
    scaler.step(second)

    assert slow.item() == -1.5


def test_a_second_engine_with_the_same_scaler_is_refused() -> None:
    first, second = pair()
    scaler = torch.amp.GradScaler("cpu")
    gradients = zerograd.Gradients(optim.SGD(first.parameters()), scaler=scaler)

    with pytest.raises(ArgumentError) as refused:
        zerograd.Gradients(optim.SGD(second.parameters()), scaler=scaler)

    assert gradients.steps == 0
    assert str(refused.value) == (
        "this scaler already belongs to another engine, and two windows under one scale "
        "spend wrong sums; give each engine a torch.amp.GradScaler of its own, or close() the "
        "other one first"
    )


class Noise(IterableDataset[torch.Tensor]):
    """Draws from the global generator, as augmentation does; it has no length."""

    def __iter__(self) -> Iterator[torch.Tensor]:
        for _ in range(4):
            yield torch.randn(1)


def drawn(batches: Any) -> list[float]:
    torch.manual_seed(0)
    return [batch.item() + torch.rand(()).item() for batch in batches]


def loader() -> DataLoader[torch.Tensor]:
    return DataLoader(Noise(), batch_size=1)


def test_naive_look_ahead_moves_the_random_stream() -> None:
    def looking_ahead(batches: Any) -> Iterator[Any]:
        iterator = iter(batches)
        batch = next(iterator)
        for following in iterator:
            yield batch
            batch = following
        yield batch

    assert drawn(looking_ahead(loader())) != drawn(loader())


@pytest.mark.parametrize("options", [{}, {"accumulate": None}, {"accumulate": 3, "tail": "drop"}])
def test_batches_looks_ahead_only_where_it_must(options: dict[str, Any]) -> None:
    gradients = zerograd.Gradients(optim.SGD(mlp().parameters()), **options)

    assert drawn(gradients.batches(loader())) == drawn(loader())


def test_batches_looks_ahead_for_the_last_of_unknown_length() -> None:
    weight = nn.Parameter(torch.zeros(1))
    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0), accumulate=3)

    steps = [gradients.backward(weight.sum()) for _ in gradients.batches(loader())]

    assert [step.micro_batches if step else 0 for step in steps] == [0, 0, 3, 1]


def test_naive_generator_that_steps_in_its_finaliser_swallows_the_exception(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    swallowed: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda it: swallowed.append(str(it.exc_value)))

    def naive() -> Iterator[int]:
        try:
            yield 1
        finally:
            raise RuntimeError("the step failed")

    for _ in naive():
        break

    assert swallowed == ["the step failed"]


def test_a_break_leaves_the_window_open_and_the_handler_sees_it_unspent() -> None:
    weight = nn.Parameter(torch.zeros(1))
    gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0), accumulate=4)
    seen = []

    try:
        for index in gradients.batches(range(8)):
            gradients.backward(weight.sum())
            if index == 1:
                raise KeyError("the user's own")  # noqa: TRY301  it happens in a user's loop
    except KeyError:
        seen.append((weight.item(), gradients.steps))

    assert seen == [(0.0, 0)]
    assert gradients.flush() is not None
    assert weight.item() == -1.0


class Explodes(torch.autograd.Function):
    @staticmethod
    def forward(_: Any, inputs: torch.Tensor) -> torch.Tensor:
        return inputs.clone()

    @staticmethod
    def backward(_: Any, *__: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("in the backward")


def exploding(first: nn.Linear, second: nn.Linear) -> torch.Tensor:
    return second(Explodes.apply(first(torch.ones(1, 2)))).sum()  # type: ignore[no-any-return, no-untyped-call]


def test_naive_backward_that_raises_leaves_partial_deposits() -> None:
    first, second = pair()

    with pytest.raises(RuntimeError, match="in the backward"):
        exploding(first, second).backward()  # type: ignore[no-untyped-call]

    assert second.weight.grad is not None
    assert first.weight.grad is None


def test_a_backward_that_raises_discards_its_window_and_counts_it() -> None:
    first, second = pair()
    gradients = zerograd.Gradients(
        optim.SGD([*first.parameters(), *second.parameters()], lr=1.0), accumulate=3
    )
    gradients.backward(second(first(torch.ones(1, 2))).sum())

    with pytest.raises(RuntimeError, match="in the backward"):
        gradients.backward(exploding(first, second))

    assert second.weight.grad is None
    assert gradients.discarded == 1
    assert gradients.flush() is None
