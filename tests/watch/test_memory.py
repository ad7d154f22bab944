"""A long run needs no more memory than a short one, also when it makes new models for ever."""

from __future__ import annotations

import gc
import tracemalloc
from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn

from zerograd.settings import Settings
from zerograd.watch.gradients import values
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

FEW_LAYERS, MORE_LAYERS = 20, 120
"""Each has a weight and a bias."""

A_TENSOR = 700
"""Bytes: 1,024 are promised."""

MODEL = nn.Linear(3, 1)
OPTIMIZER = torch.optim.SGD(MODEL.parameters(), lr=0.1)
FAULTY = nn.Linear(3, 1)
NEVER_CLEARED = torch.optim.SGD(FAULTY.parameters(), lr=0.1)


def the_same_again() -> None:
    OPTIMIZER.zero_grad()
    MODEL(torch.ones(2, 3)).mean().backward()
    OPTIMIZER.step()


def a_new_one() -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    model(torch.ones(2, 3)).mean().backward()
    optimizer.step()


def a_new_one_with_a_fault() -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        model(torch.ones(2, 3)).mean().backward()
        optimizer.step()


def a_clip_beside_a_fault() -> None:
    FAULTY(torch.ones(2, 3)).mean().backward()
    NEVER_CLEARED.step()
    MODEL(torch.ones(2, 3)).mean().backward()
    nn.utils.clip_grad_norm_(MODEL.parameters(), 1.0)
    OPTIMIZER.step()
    OPTIMIZER.zero_grad()


@pytest.mark.parametrize(
    "train", [the_same_again, a_new_one, a_new_one_with_a_fault, a_clip_beside_a_fault]
)
def test_memory_does_not_grow_with_the_steps(train: Callable[[], None]) -> None:
    session = Session(Settings(preview=True))

    session.start()
    try:
        early, late = objects_after_500(train), objects_after_500(train)
    finally:
        session.stop()

    # One object a step would be 500. What is bounded (events, measures) is full by then.
    assert late - early < 400
    assert session.internal_error is None


def objects_after_500(train: Callable[[], None]) -> int:
    """Return how many objects of our own classes are alive after so many rounds more."""
    for _ in range(500):
        train()
    return our_objects()


def test_less_than_a_kilobyte_is_kept_for_a_parameter_tensor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(values, "WINDOWS", 1)  # they have a bound of their own

    few, more = bytes_held(FEW_LAYERS), bytes_held(MORE_LAYERS)

    assert (more - few) / (2 * (MORE_LAYERS - FEW_LAYERS)) < A_TENSOR


def bytes_held(layers: int) -> int:
    """Return what our lines hold while a model with so many layers is watched."""
    session = Session()
    session.start()
    the_same_again()  # imports what is imported late
    tracemalloc.start()
    try:
        model = trained(layers)
        ours = tracemalloc.Filter(True, "*/zerograd/*")
        taken = tracemalloc.take_snapshot().filter_traces([ours])
        held = sum(statistic.size for statistic in taken.statistics("filename"))
        del model  # only now: with it goes what is kept for it
        return held
    finally:
        tracemalloc.stop()
        session.stop()


def trained(layers: int) -> nn.Module:
    """Train layers that pass on what they get, so that none of their gradients is zero."""
    linears = [nn.Linear(4, 4) for _ in range(layers)]
    for linear in linears:
        nn.init.eye_(linear.weight)
    model = nn.Sequential(*linears)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    for _ in range(24):
        optimizer.zero_grad()
        model(torch.ones(2, 4)).square().mean().backward()
        optimizer.step()
    return model


def our_objects() -> int:
    """Return how many objects of our own classes are alive."""
    gc.collect()
    # Some types answer with something other than a name.
    return sum(str(type(thing).__module__).startswith("zerograd.") for thing in gc.get_objects())
