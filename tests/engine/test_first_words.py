"""The engine's face: three lines first, arguments as people write them, misspelt ones named."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch
from engine_cases import mlp, same, square
from torch import optim

import zerograd
from zerograd.errors import ArgumentError


@pytest.mark.parametrize("limit", [0.0, 0, None])
@pytest.mark.parametrize("argument", ["clip_norm", "clip_value"])
def test_a_limit_of_zero_is_no_limit_as_training_scripts_write_it(
    argument: str, limit: float | None
) -> None:
    plain, owned = mlp(), mlp()
    alone = zerograd.Gradients(optim.SGD(plain.parameters(), lr=0.1))
    options: dict[str, Any] = {argument: limit}
    gradients = zerograd.Gradients(optim.SGD(owned.parameters(), lr=0.1), **options)

    alone.backward(square(plain, 3, 0))
    step = gradients.backward(square(owned, 3, 0))

    assert same(plain, owned)
    assert step is not None
    assert step.norm is None


def test_one_of_several_optimizers_may_go_unclipped() -> None:
    model = mlp()
    optimizers = [optim.SGD(model[0].parameters()), optim.SGD(model[2].parameters())]
    gradients = zerograd.Gradients(optimizers, clip_norm=[1e-3, 0.0])

    step = gradients.backward(square(model, 3, 0))

    assert step is not None
    assert len(step.norms) == 2


def test_zero_and_a_limit_of_the_other_kind_do_not_contradict() -> None:
    model = mlp()

    gradients = zerograd.Gradients(optim.SGD(model.parameters()), clip_norm=0.0, clip_value=1.0)

    assert gradients.backward(square(model, 3, 0))


@pytest.mark.parametrize("limit", [-1.0, float("nan"), True, "1"])
def test_other_limits_are_refused(limit: Any) -> None:
    with pytest.raises(ArgumentError) as refused:
        zerograd.Gradients(optim.SGD(mlp().parameters()), clip_norm=limit)

    assert str(refused.value) == f"clip_norm is a limit above 0, or 0 for none, got {limit!r}"


MISSPELT = [
    ({"acumulate": 4}, "Gradients has no argument 'acumulate'; did you mean accumulate=?"),
    ({"clip": 1.0}, "Gradients has no argument 'clip'; did you mean clip_norm=?"),
    ({"max_norm": 1.0}, "Gradients has no argument 'max_norm'; did you mean clip_norm=?"),
    (
        {"gradient_accumulation_steps": 4},
        ("Gradients has no argument 'gradient_accumulation_steps'; did you mean accumulate=?"),
    ),
    ({"lr_scheduler": None}, "Gradients has no argument 'lr_scheduler'; did you mean scheduler=?"),
    ({"xyz": 1}, "Gradients has no argument 'xyz'; help(zerograd.Gradients) lists them"),
]


@pytest.mark.parametrize(("options", "reason"), MISSPELT)
def test_a_misspelt_argument_gets_the_nearest_name(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        zerograd.Gradients(optim.SGD(mlp().parameters()), **options)

    assert str(refused.value) == reason
    assert isinstance(refused.value, TypeError)


def test_a_misspelt_argument_of_backward_gets_the_nearest_name() -> None:
    model = mlp()
    gradients = zerograd.Gradients(optim.SGD(model.parameters()))

    with pytest.raises(ArgumentError) as refused:
        gradients.backward(square(model, 3, 0), item=3)  # type: ignore[arg-type]

    assert str(refused.value) == "backward has no argument 'item'; did you mean items=?"


def test_help_begins_with_the_three_lines() -> None:
    documentation = inspect.getdoc(zerograd.Gradients) or ""

    three, _, rest = documentation.partition("batches(")

    lines = ("zerograd.Gradients(optimizer)", "gradients.backward(loss)", "no zero_grad", "no step")
    assert all(line in three for line in lines)
    assert "Rare" in rest


def test_every_argument_is_documented_once() -> None:
    documentation = inspect.getdoc(zerograd.Gradients) or ""
    parameters = inspect.signature(zerograd.Gradients).parameters.values()
    names = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    described = [line.split()[0] for line in documentation.splitlines() if line.strip()]

    assert len(names) > 15
    assert [described.count(name) for name in names] == [1] * len(names)


def test_the_three_lines_train() -> None:
    plain, owned = mlp(), mlp()
    optimizer = optim.AdamW(plain.parameters())
    gradients = zerograd.Gradients(optim.AdamW(owned.parameters()))

    for seed in range(3):
        optimizer.zero_grad()
        square(plain, 3, seed).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        gradients.backward(square(owned, 3, seed))

    assert same(plain, owned)
    assert torch.is_grad_enabled()
