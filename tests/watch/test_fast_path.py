"""A loop that was calm for long is answered from memory, and a fault that begins late is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

from zerograd.settings import Settings
from zerograd.source.lines import CallSite
from zerograd.watch.gradients.sampling import NEW
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zerograd.findings import Finding

CALM = 1_000
LATE = CALM + 1


@pytest.fixture
def session() -> Iterator[Session]:
    session = Session(Settings(preview=True))
    session.start()
    yield session
    session.stop()


class Loop:
    """A model of four parameters and the parts of its step."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-4)
        self.parameters = list(self.model.parameters())
        self.inputs = torch.randn(4, 3)

    def loss(self) -> Any:
        return self.model(self.inputs).square().mean()

    def backward(self) -> None:
        self.loss().backward()

    def clear(self) -> None:
        self.optimizer.zero_grad()

    def clear_module(self) -> None:
        self.model.zero_grad()

    def clear_in_place(self) -> None:
        self.optimizer.zero_grad(set_to_none=False)

    def drop(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None

    def zero(self) -> None:
        for parameter in self.parameters:
            if parameter.grad is not None:
                parameter.grad.zero_()

    def zero_data(self) -> None:
        for parameter in self.parameters:
            if parameter.grad is not None:
                parameter.grad.data.zero_()

    def train(self, clear: Callable[[], None], steps: int = CALM) -> None:
        for _ in range(steps):
            clear()
            self.backward()
            self.optimizer.step()


CLEARS = ["clear", "clear_module", "clear_in_place", "drop", "zero", "zero_data"]


def found(session: Session) -> list[tuple[str, int | None, int | None]]:
    session.stop()
    assert session.internal_error is None
    return [(one.rule.name, one.first_step, one.count) for one in session.findings if loud(one)]


def loud(finding: Finding) -> bool:
    return str(finding.severity) != "hint"


@pytest.mark.parametrize("clear", CLEARS)
def test_a_calm_loop_is_answered_from_memory(session: Session, clear: str) -> None:
    loop = Loop()

    loop.train(getattr(loop, clear))

    assert session.cache.is_ahead
    assert found(session) == []
    assert (session.observer.steps.count, session.observer.deposits.count) == (CALM, CALM)
    assert [owner.steps for owner in session.ledger.books.owners.values()] == [CALM]


@pytest.mark.parametrize("clear", CLEARS)
def test_a_clear_that_is_left_out_once(session: Session, clear: str) -> None:
    loop = Loop()
    loop.train(getattr(loop, clear))

    loop.backward()
    loop.optimizer.step()
    loop.train(getattr(loop, clear), 5)

    assert found(session) == [("missing-zero", LATE, 1)]


@pytest.mark.parametrize("clear", CLEARS)
def test_a_clear_that_stops(session: Session, clear: str) -> None:
    loop = Loop()
    loop.train(getattr(loop, clear))

    loop.train(lambda: None, 5)

    assert found(session) == [("missing-zero", LATE, 5)]


def test_a_clear_is_told_with_the_line_that_called_its_function(session: Session) -> None:
    loop = Loop()
    loop.train(loop.clear)

    loop.clear()
    session.cache.catch_up()

    [place] = {group.cleared_at for group in session.ledger.books.groups}
    assert isinstance(place, CallSite)
    assert place.line.function == "Loop.clear"
    assert place.caller is not None
    assert place.caller.function == "test_a_clear_is_told_with_the_line_that_called_its_function"


def test_a_step_on_what_was_spent(session: Session) -> None:
    loop = Loop()
    loop.train(loop.clear)

    loop.optimizer.step()

    assert found(session) == [("spent-twice", LATE, 1)]


def test_a_step_on_nothing(session: Session) -> None:
    loop = Loop()
    loop.train(loop.clear)

    loop.clear()
    loop.optimizer.step()

    assert found(session) == [("step-without-backward", LATE, 1)]


def test_a_clip_that_appears_after_the_step(session: Session) -> None:
    loop = Loop()
    loop.train(loop.clear)

    for _ in range(3):
        loop.train(loop.clear, 1)
        nn.utils.clip_grad_norm_(loop.parameters, 1.0)

    assert [name for name, _, _ in found(session)] == ["clip-after-step"]


def test_a_clear_that_moves_before_the_step(session: Session) -> None:
    loop = Loop()
    loop.train(loop.clear)

    for _ in range(4):
        loop.backward()
        loop.clear()
        loop.optimizer.step()

    assert [name for name, _, _ in found(session)] == ["zero-before-step"]


@pytest.mark.parametrize("clear", ["drop", "zero", "zero_data"])
def test_one_parameter_that_is_left_out_is_seen_when_its_turn_comes(
    session: Session, clear: str
) -> None:
    loop = Loop()
    loop.train(getattr(loop, clear))
    everyone = len(loop.parameters)
    del loop.parameters[2]

    loop.train(getattr(loop, clear), 2 * everyone)

    [(name, first, _)] = found(session)
    assert name == "missing-zero"
    assert first is not None
    assert LATE <= first <= LATE + everyone


def test_what_is_written_by_hand_before_a_clear_is_a_use(session: Session) -> None:
    loop = Loop()
    loop.train(loop.clear)

    loop.clear()
    for parameter in loop.parameters:
        parameter.grad = torch.ones_like(parameter)
    loop.clear()
    loop.optimizer.step()

    assert found(session) == []


def test_what_is_written_by_hand_before_a_backward_is_seen_at_once(session: Session) -> None:
    loop = Loop()
    loop.train(loop.clear)
    loop.clear()
    for parameter in loop.parameters:
        parameter.grad = torch.ones_like(parameter)

    loop.backward()

    assert [group.written for group in session.observer.poster.registry.groups] == [True]


def test_a_graph_that_is_kept_once_on_the_line_that_never_did(session: Session) -> None:
    loop = Loop()

    for keeps in [*[False] * CALM, True]:
        loop.optimizer.step()
        loop.clear()
        loss = loop.loss()
        loss.backward(retain_graph=keeps)
    loss.backward()
    loop.optimizer.step()

    assert [name for name, _, _ in found(session)] == ["backward-twice"]


def test_a_new_optimizer_is_looked_at_closely_for_a_while(session: Session) -> None:
    loop = Loop()
    loop.train(loop.clear)

    torch.optim.SGD(nn.Linear(1, 1).parameters())
    loop.train(loop.clear, NEW - 1)

    assert session.observer.poster.sampling.at_all


def test_the_damage_of_a_late_fault_is_measured(session: Session) -> None:
    loop = Loop()
    loop.train(loop.clear)

    loop.train(lambda: None, 5)

    session.stop()
    [damage] = [one.damage for one in session.findings if one.damage is not None]
    assert damage.measured == 5


def test_another_thread_ends_the_memory(session: Session) -> None:
    from threading import Thread

    loop, other = Loop(), Loop()
    loop.train(loop.clear)

    thread = Thread(target=other.train, args=(other.clear, 20))
    thread.start()
    thread.join()
    loop.train(loop.clear, 20)

    assert not session.cache.is_ahead
    assert found(session) == []
