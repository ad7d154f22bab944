"""A tracker is told the same windows, at the same time, whether calls are answered from cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from zerograd.history.series import Series
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

STEPS = 320
"""The second optimizer steps at the odd hundreds, and rests between them."""


def tracked(*, from_cache: bool) -> tuple[list[object], int]:
    """Return what a tracker was told, in which iteration, and how often the observer answered."""
    told: list[object] = []
    answers, iteration = 0, 0

    def track(step: int, scalars: Mapping[str, Any]) -> None:
        told.append((iteration, step, {name: float(value) for name, value in scalars.items()}))

    session = Session(track=track)
    if not from_cache:
        session.cache.answer_all()
    take_over = session.observer.before_answer

    def count() -> None:
        nonlocal answers
        answers += 1
        take_over()

    session.observer.before_answer = count
    session.start()
    torch.manual_seed(0)
    first, second = nn.Linear(3, 1), nn.Linear(3, 1)
    optimizers = [torch.optim.SGD(one.parameters(), lr=0.01) for one in (first, second)]
    inputs = torch.randn(4, 3)
    for iteration in range(STEPS):
        first(inputs).square().mean().backward()
        optimizers[0].step()
        optimizers[0].zero_grad()
        if iteration % 200 >= 100:
            second(inputs).square().mean().backward()
            optimizers[1].step()
            optimizers[1].zero_grad()
    session.stop()
    assert session.internal_error is None
    return told, answers


def test_a_tracker_is_told_the_same_from_the_cache_also_of_an_optimizer_that_rested(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Series.__init__, "__defaults__", (8,))  # as long a run as 128 times more

    told, answers = tracked(from_cache=True)

    expected, all_answers = tracked(from_cache=False)
    assert told == expected
    assert answers < 0.8 * all_answers
