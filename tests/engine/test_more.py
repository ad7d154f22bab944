"""`backward(loss, more=True)`: further losses of the same micro-batch follow."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from engine_cases import mlp, same, square
from torch import nn, optim

import zerograd
from zerograd.errors import ArgumentError

WAITING = (
    " would end a micro-batch halfway: the last backward said more=True; call "
    "gradients.backward(loss) without it first, or gradients.discard()"
)


def one(**options: Any) -> tuple[nn.Parameter, zerograd.Gradients]:
    weight = nn.Parameter(torch.zeros(1))
    return weight, zerograd.Gradients(optim.SGD([weight], lr=1.0), **options)


def test_losses_of_one_micro_batch_are_the_same_with_and_without_a_block() -> None:
    inside, bare = mlp(), mlp()
    first = zerograd.Gradients(optim.SGD(inside.parameters(), lr=0.1), accumulate=2)
    second = zerograd.Gradients(optim.SGD(bare.parameters(), lr=0.1), accumulate=2)

    for seed, size in enumerate((3, 5, 2, 7)):
        with first.micro_batch(items=size) as micro:
            for part in range(3):
                first.backward(square(inside, size, 10 * seed + part))
        steps = [
            second.backward(square(bare, size, 10 * seed), items=size, more=True),
            second.backward(square(bare, size, 10 * seed + 1), more=True),
            second.backward(square(bare, size, 10 * seed + 2)),
        ]

        assert (micro.step is None) == (steps[-1] is None)
        assert steps[:2] == [None, None]
    assert same(inside, bare)


def test_a_discriminator_in_batches_makes_one_micro_batch_of_two_halves() -> None:
    weight, gradients = one(accumulate=2)

    for _ in gradients.batches(range(3)):
        gradients.backward(weight.sum(), more=True)
        gradients.backward(2 * weight.sum())

    assert gradients.steps == 2
    assert weight.item() == -6.0


def test_without_items_and_without_a_window_of_several_it_steps_once() -> None:
    weight, gradients = one()

    first = gradients.backward(weight.sum(), more=True)
    second = gradients.backward(weight.sum())

    assert first is None
    assert second
    assert second.micro_batches == 1
    assert weight.item() == -2.0


def test_items_are_said_once_with_the_first_loss() -> None:
    weight, gradients = one()
    gradients.backward(weight.sum(), items=3, more=True)

    with pytest.raises(ArgumentError) as refused:
        gradients.backward(weight.sum(), items=3)

    assert str(refused.value) == (
        "items belongs to the micro-batch, not to one of its losses; say it once, with the first: "
        "gradients.backward(loss, items=n, more=True)"
    )
    assert gradients.backward(weight.sum())


CALLS: dict[str, Any] = {
    "step()": lambda gradients: gradients.step(),
    "flush()": lambda gradients: gradients.flush(),
    "state_dict()": lambda gradients: gradients.state_dict(),
    "another micro_batch()": lambda gradients: gradients.micro_batch().__enter__(),
    "batches()": lambda gradients: next(iter(gradients.batches([1]))),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_micro_batch_that_waits_for_its_last_loss_is_not_closed_by_others(call: str) -> None:
    weight, gradients = one(accumulate=2)
    gradients.backward(weight.sum(), more=True)

    with pytest.raises(ArgumentError) as refused:
        CALLS[call](gradients)

    assert str(refused.value) == f"{call}{WAITING}"
    gradients.discard()
    assert gradients.discarded == 1


def test_the_next_batch_and_the_end_of_the_data_wait_for_the_last_loss() -> None:
    weight, gradients = one(accumulate=2)

    for length in (1, 2):
        with pytest.raises(ArgumentError) as refused:
            deposit_halves(gradients, weight, length)

        what = "the end of batches()" if length == 1 else "the next batch"
        assert str(refused.value) == f"{what}{WAITING}"
        gradients.discard()


def deposit_halves(gradients: zerograd.Gradients, weight: nn.Parameter, length: int) -> None:
    for _ in gradients.batches(range(length)):
        gradients.backward(weight.sum(), more=True)


def test_after_a_discard_the_next_backward_begins_a_micro_batch() -> None:
    weight, gradients = one()
    gradients.backward(weight.sum(), more=True)
    gradients.discard()

    step = gradients.backward(weight.sum())

    assert step
    assert weight.item() == -1.0


def test_an_error_in_a_later_loss_drops_the_window() -> None:
    weight, gradients = one(accumulate=2)
    gradients.backward(weight.sum(), more=True)
    with pytest.raises(ArgumentError, match="a loss is a tensor"):
        gradients.backward(3.0)  # type: ignore[arg-type]

    for _ in range(2):
        step = gradients.backward(weight.sum())

    assert step
    assert weight.item() == -1.0
    assert gradients.discarded == 1


def test_zero_items_leave_all_of_its_losses_out() -> None:
    weight, gradients = one(accumulate=2)

    gradients.backward(weight.sum() * float("nan"), items=0, more=True)
    gradients.backward(weight.sum() * float("nan"))
    gradients.backward(weight.sum(), items=4)

    assert weight.item() == -1.0
