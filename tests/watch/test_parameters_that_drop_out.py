"""A parameter that a graph leaves out from some backward on does not hide the others' deposits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from zerograd.lifecycle import Backward, Ledger
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    import pytest

    from zerograd.lifecycle import Event

SEARCHED = 9
"""The number of a backward whose graph is searched again, and from which on one is looked at."""


def reached_by(backwards: int, monkeypatch: pytest.MonkeyPatch, *, place: int) -> list[int]:
    """Train with an offset that is left out from the searched backward on."""
    reached: list[int] = []
    post = Ledger.post

    def noting(self: Ledger, event: Event) -> Any:
        reached.extend([len(event.parameters)] if isinstance(event, Backward) else [])
        return post(self, event)

    monkeypatch.setattr(Ledger, "post", noting)
    session = Session()
    session.start()
    offset, body = nn.Parameter(torch.zeros(1, 4)), nn.Linear(4, 1)
    parameters = list(body.parameters())
    parameters.insert(place, offset)
    optimizer = torch.optim.SGD(parameters, lr=0.01)
    for number in range(1, backwards + 1):
        inputs = torch.ones(3, 4) + (offset if number < SEARCHED else 0)
        optimizer.zero_grad()
        body(inputs).square().mean().backward()
        optimizer.step()
    session.stop()
    assert session.internal_error is None
    return reached


def test_whoever_is_looked_at_for_all_may_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    reached = reached_by(SEARCHED + 1, monkeypatch, place=2)

    assert reached == [3] * (SEARCHED - 1) + [2, 2]


def test_so_may_another(monkeypatch: pytest.MonkeyPatch) -> None:
    reached = reached_by(SEARCHED + 1, monkeypatch, place=0)

    assert reached == [3] * (SEARCHED - 1) + [2, 2]
