"""What the fourth set of unseen programs showed: averages, weighted terms, constructions."""

from __future__ import annotations

import copy
import inspect
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from zerograd.settings import Settings
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def watched() -> Iterator[Session]:
    torch.manual_seed(0)
    session = Session(Settings(preview=True))
    session.start()
    try:
        yield session
    finally:
        session.stop()
    assert session.internal_error is None


def rules_found(session: Session) -> list[str]:
    return [finding.rule.name for finding in session.findings]


def train_with_average(*, at_each: bool) -> list[str]:
    """Train in windows of four; the average advances before the step that follows."""
    with watched() as session:
        model = nn.Linear(4, 2)
        average = copy.deepcopy(model).requires_grad_(False)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for number in range(1, 33):
            (model(torch.randn(3, 4)).square().mean() / 4).backward()
            if at_each or number % 4 == 0:
                for mean, weight in zip(average.parameters(), model.parameters(), strict=True):
                    mean.lerp_(weight.detach(), 0.05)
            if number % 4 == 0:
                optimizer.step()
                optimizer.zero_grad()
    return rules_found(session)


def test_an_average_that_advances_at_each_deposit_before_the_step_is_found() -> None:
    assert train_with_average(at_each=True) == ["average-in-window"]


def test_an_average_that_advances_once_a_window_before_the_step_is_right() -> None:
    assert train_with_average(at_each=False) == []


def train_with_terms(*, total_too: bool) -> list[str]:
    """Train on two weighted terms, each with a backward of its own, and perhaps on their sum."""
    with watched() as session:
        model = nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(12):
            output = model(torch.randn(3, 4))
            terms = [0.3 * output.square().mean(), 0.7 * output.abs().mean()]
            for term in terms:
                torch.autograd.backward(term, retain_graph=True)
            if total_too:
                torch.autograd.backward(torch.stack(terms).sum())
            optimizer.step()
            optimizer.zero_grad()
    return rules_found(session)


def test_weighted_terms_that_are_deposited_again_in_their_sum_are_found() -> None:
    assert train_with_terms(total_too=True) == ["backward-twice"]


def test_weighted_terms_of_one_graph_are_right() -> None:
    assert train_with_terms(total_too=False) == []


class Momentum(torch.optim.SGD):
    """An optimizer whose construction has lines of its own."""

    def __init__(self, params: Any) -> None:
        super().__init__(params, lr=0.1, momentum=0.9)


def test_an_optimizer_of_the_users_own_class_stands_where_it_is_built() -> None:
    with watched() as session:
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
        frame = inspect.currentframe()
        assert frame is not None
        line = frame.f_lineno + 1
        optimizer = Momentum(model[0].parameters())
        for _ in range(12):
            model(torch.randn(3, 4)).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            model.zero_grad()

    found = [(one.rule.name, one.location.line) for one in session.findings]
    assert found == [("orphan-parameter", line)]
