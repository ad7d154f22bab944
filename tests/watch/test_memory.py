"""A long run needs no more memory than a short one, also when it makes new models for ever."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn

from zerograd.settings import Settings
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

MODEL = nn.Linear(3, 1)
OPTIMIZER = torch.optim.SGD(MODEL.parameters(), lr=0.1)


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


@pytest.mark.parametrize("train", [the_same_again, a_new_one, a_new_one_with_a_fault])
def test_memory_does_not_grow_with_the_steps(train: Callable[[], None]) -> None:
    session = Session(Settings(preview=True))
    before = our_objects()

    session.start()
    try:
        for _ in range(1000):
            train()
    finally:
        session.stop()

    # One object a step would be a thousand.
    assert our_objects() - before < 900
    assert session.internal_error is None


def our_objects() -> int:
    """Return how many objects of our own classes are alive."""
    gc.collect()
    # Some types answer with something other than a name.
    return sum(str(type(thing).__module__).startswith("zerograd.") for thing in gc.get_objects())
