"""An optimizer may bring gradients of its own into a step; one that has none is told so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from zerograd.lifecycle import Ledger, Write
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from zerograd.lifecycle import Event


class Keeping(torch.optim.SGD):
    kept: dict[Any, torch.Tensor]

    def take(self) -> None:
        self.kept = {p: p.grad for group in self.param_groups for p in group["params"]}
        self.zero_grad()

    def lose(self) -> None:
        self.kept = {}
        self.zero_grad()

    def step(self, closure: Any = None) -> Any:
        for parameter, gradient in self.kept.items():
            parameter.grad = gradient
        return super().step(closure)


def rules_of(handle: Callable[[Keeping], None]) -> list[str]:
    session = Session()
    session.start()
    model = nn.Linear(3, 1)
    optimizer = Keeping(model.parameters(), lr=0.1)
    for _ in range(6):
        optimizer.zero_grad()
        model(torch.ones(4, 3)).mean().backward()
        handle(optimizer)
        optimizer.step()
    session.stop()
    assert session.internal_error is None
    return [finding.rule.name for finding in session.findings]


def test_what_an_optimizer_kept_was_not_thrown_away() -> None:
    assert rules_of(Keeping.take) == []


def test_what_it_did_not_keep_was() -> None:
    assert rules_of(Keeping.lose) == ["zero-before-step"]


def test_a_step_on_nothing_is_forgotten_when_it_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Event] = []
    post = Ledger.post

    def noting(self: Ledger, event: Event) -> Any:
        written.extend([event] if isinstance(event, Write) else [])
        return post(self, event)

    monkeypatch.setattr(Ledger, "post", noting)
    session = Session()
    session.start()
    held, other = nn.Linear(3, 1), nn.Linear(3, 1)
    optimizer = torch.optim.SGD(held.parameters(), lr=0.1)
    for number in range(90):
        optimizer.zero_grad()
        (held if number // 15 % 2 == 0 else other)(torch.ones(4, 3)).mean().backward()
        optimizer.step()
    session.stop()

    assert session.internal_error is None
    assert written == []
