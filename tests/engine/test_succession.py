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
    "ZG307 shared-parameter: a later engine over the same parameters took this one's place; use "
    "the later one, or give both optimizers to one: zerograd.Gradients([first, second])"
)


@pytest.mark.parametrize("clear", ["none", "zero"])
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
    earlier = zerograd.Gradients(optimizer, clear="zero")
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
        "ZG307 shared-parameter: parameter 0 of SGD, shape (5, 3) belongs to another engine whose "
        "window is open, last deposited at "
    )
    assert str(refused.value).endswith(
        "; call flush() or discard() of that one first, or give both optimizers to one: "
        "zerograd.Gradients([first, second])"
    )
    gradients.discard()


def test_an_engine_over_one_of_several_optimizers_retires_the_joint_one() -> None:
    model = mlp()
    first, second = optim.SGD(model[0].parameters()), optim.SGD(model[2].parameters())
    joint = zerograd.Gradients([first, second])

    later = zerograd.Gradients(first)

    assert later.backward(square(model, 3, 0))
    with pytest.raises(LifecycleError) as refused:
        joint.backward(square(model, 3, 0))
    assert str(refused.value) == REPLACED


@pytest.mark.parametrize("clear", ["none", "zero"])
def test_a_new_optimizer_over_the_same_model_takes_over(clear: str) -> None:
    plain, owned = mlp(), mlp()

    for fold in range(3):
        alone = optim.SGD(plain.parameters(), lr=0.1)
        gradients = zerograd.Gradients(optim.SGD(owned.parameters(), lr=0.1), clear=clear)
        for seed in range(2):
            alone.zero_grad()
            square(plain, 3, 10 * fold + seed).backward()  # type: ignore[no-untyped-call]
            alone.step()
            gradients.backward(square(owned, 3, 10 * fold + seed))

    assert same(plain, owned)


CLOSED = "this engine was closed, by close() or at the end of its with block; make a new one"


def closed_by_hand(gradients: zerograd.Gradients) -> None:
    gradients.close()
    gradients.close()


def closed_by_with(gradients: zerograd.Gradients) -> None:
    with gradients:
        pass


def closed_by_an_error(gradients: zerograd.Gradients) -> None:
    with pytest.raises(ZeroDivisionError), gradients:
        raise ZeroDivisionError


CLOSINGS = [closed_by_hand, closed_by_with, closed_by_an_error]


@pytest.mark.parametrize("close", CLOSINGS)
def test_a_closed_engine_lets_its_optimizer_go(close: Any) -> None:
    model = mlp()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer, clear="zero")
    gradients.backward(square(model, 3, 0))

    close(gradients)

    optimizer.zero_grad()
    square(model, 3, 1).backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    assert gradients.steps == 1
    assert gradients.state_dict()["windows"] == 1


@pytest.mark.parametrize("close", CLOSINGS)
@pytest.mark.parametrize(
    "use",
    [
        lambda engine, model: engine.backward(square(model, 3, 0)),
        lambda engine, _: next(iter(engine.batches([1]))),
        lambda engine, _: engine.step(),
        lambda engine, _: engine.flush(),
        lambda engine, _: engine.load_state_dict({}),
    ],
)
def test_a_closed_engine_is_refused_from_then_on(close: Any, use: Any) -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()))
    close(gradients)

    with pytest.raises(LifecycleError) as refused:
        use(gradients, model)

    assert str(refused.value) == CLOSED


def test_closing_does_with_an_open_window_what_tail_says() -> None:
    stepped, dropped = torch.nn.Parameter(torch.zeros(1)), torch.nn.Parameter(torch.zeros(1))
    for weight, tail in ((stepped, "step"), (dropped, "drop")):
        gradients = zerograd.Gradients(optim.SGD([weight], lr=1.0), accumulate=4, tail=tail)
        gradients.backward(weight.sum())

        gradients.close()

    assert (stepped.item(), dropped.item()) == (-1.0, 0.0)


def test_a_scaler_is_free_again_when_its_engine_is_closed() -> None:
    scaler = torch.amp.GradScaler("cpu")
    first = zerograd.Gradients(optim.SGD(mlp().parameters()), scaler=scaler)
    first.close()

    second = zerograd.Gradients(optim.SGD(mlp().parameters()), scaler=scaler)

    assert (first.steps, second.steps) == (0, 0)
