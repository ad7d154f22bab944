"""A second engine over the same optimizer, as when a notebook's cell is run again."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from engine_cases import mlp, same, square
from torch import optim

import zerograd
from zerograd.errors import LifecycleError

REPLACED = (
    "ZG307 shared-parameter: a later engine over the same optimizer took this one's place; use "
    "the later one"
)


@pytest.mark.parametrize("clear", ["none", "zero", "arena"])
def test_a_new_engine_over_the_same_optimizer_takes_over(clear: str) -> None:
    plain, owned = mlp(), mlp()
    alone = zerograd.Gradients(optim.SGD(plain.parameters(), lr=0.1), accumulate=2)
    optimizer = optim.SGD(owned.parameters(), lr=0.1)

    gradients = zerograd.Gradients(optimizer, clear=clear)
    gradients = zerograd.Gradients(optimizer, clear=clear, accumulate=2)
    for seed in range(4):
        gradients.backward(square(owned, 3, seed))
        alone.backward(square(plain, 3, seed))

    assert same(plain, owned)


def test_the_same_scaler_goes_with_it() -> None:
    optimizer = optim.SGD(mlp().parameters())
    scaler = torch.amp.GradScaler("cpu")

    gradients = zerograd.Gradients(optimizer, scaler=scaler)
    gradients = zerograd.Gradients(optimizer, scaler=scaler)

    assert gradients.steps == 0


USES: dict[str, Any] = {
    "backward": lambda engine, model: engine.backward(square(model, 3, 0)),
    "state_dict": lambda engine, _: engine.state_dict(),
    "load_state_dict": lambda engine, _: engine.load_state_dict({}),
}


@pytest.mark.parametrize("use", USES)
def test_the_earlier_engine_is_refused_from_then_on(use: str) -> None:
    model = mlp()
    optimizer = optim.SGD(model.parameters())
    earlier = zerograd.Gradients(optimizer)
    later = zerograd.Gradients(optimizer)

    for _ in range(2):
        with pytest.raises(LifecycleError) as refused:
            USES[use](earlier, model)

        assert str(refused.value) == REPLACED
    assert later.backward(square(model, 3, 0))


def test_the_earlier_engines_death_leaves_the_later_one_alone() -> None:
    model = mlp()
    optimizer = optim.SGD(model.parameters())
    earlier = zerograd.Gradients(optimizer, clear="arena")
    later = zerograd.Gradients(optimizer, accumulate=2)
    later.backward(square(model, 3, 0))

    del earlier

    assert later.backward(square(model, 3, 0))


def test_an_open_window_is_not_taken_over() -> None:
    model = mlp()
    optimizer = optim.SGD(model.parameters())
    gradients = zerograd.Gradients(optimizer, accumulate=2)
    gradients.backward(square(model, 3, 0))

    with pytest.raises(LifecycleError) as refused:
        zerograd.Gradients(optimizer)

    assert str(refused.value).startswith(
        "ZG307 shared-parameter: an earlier engine over this optimizer has an open window, last "
        "deposited at "
    )
    assert str(refused.value).endswith("; call flush() or discard() of it first")
    gradients.discard()


def test_an_engine_over_more_optimizers_is_not_taken_over_by_one_of_them() -> None:
    first, second = optim.SGD(mlp().parameters()), optim.SGD(mlp().parameters())
    gradients = zerograd.Gradients([first, second])

    with pytest.raises(LifecycleError, match="already belongs to another engine"):
        zerograd.Gradients(first)

    assert gradients.steps == 0
