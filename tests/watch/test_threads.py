"""Several threads train at once: each is watched by itself, and none reads what another writes."""

from __future__ import annotations

from functools import partial
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn

from zerograd.settings import Settings
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor


@pytest.fixture
def session() -> Iterator[Session]:
    session = Session(Settings(preview=True))
    session.start()
    yield session
    session.stop()


def rules(session: Session) -> list[str]:
    session.stop()
    assert session.internal_error is None
    return [finding.rule.name for finding in session.findings]


def together(*targets: Callable[[], None]) -> None:
    """Run these at the same time, and wait for all of them."""
    threads = [Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def clears_by_model() -> None:
    model, x = nn.Linear(4, 4), torch.ones(2, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(40):
        model.zero_grad()
        model(x).square().mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def never_clears() -> None:
    model, x = nn.Linear(4, 4), torch.ones(2, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(40):
        model(x).square().mean().backward()
        optimizer.step()


def test_models_of_their_own(session: Session) -> None:
    together(clears_by_model, clears_by_model, clears_by_model)

    assert rules(session) == []


def test_the_fault_of_one_is_found_beside_others(session: Session) -> None:
    together(clears_by_model, never_clears, clears_by_model)

    assert rules(session) == ["missing-zero"]


def test_a_gradient_written_while_another_thread_fills_its_own(session: Session) -> None:
    shared, own = nn.Linear(2, 1), nn.Linear(2, 1)
    optimizer = torch.optim.SGD(shared.parameters(), lr=0.1)
    inside, written = Event(), Event()

    def wait_in_backward(gradient: Tensor) -> None:
        inside.set()
        written.wait()

    def work() -> None:
        hidden = own(torch.ones(1, 2))
        hidden.register_hook(wait_in_backward)
        hidden.sum().backward()

    def write_and_step() -> None:
        for parameter in shared.parameters():
            parameter.grad = torch.ones_like(parameter)
        optimizer.step()
        optimizer.zero_grad()

    for _ in range(3):
        inside.clear()
        written.clear()
        thread = Thread(target=work)
        thread.start()
        inside.wait()
        write_and_step()
        written.set()
        thread.join()

    assert rules(session) == []


def test_a_deposit_that_another_thread_clears_beside_is_still_a_deposit(session: Session) -> None:
    mine, theirs = nn.Linear(2, 1), nn.Linear(2, 1)
    optimizer = torch.optim.SGD(mine.parameters(), lr=0.1)

    for _ in range(4):
        optimizer.zero_grad()
        hidden = mine(torch.ones(1, 2))
        hidden.register_hook(lambda _: together(theirs.zero_grad))
        hidden.sum().backward()
        optimizer.step()

    assert rules(session) == []


def test_a_loss_is_what_its_own_thread_read(session: Session) -> None:
    mine, theirs = nn.Linear(2, 1), nn.Linear(2, 1)
    optimizer = torch.optim.SGD(mine.parameters(), lr=0.1)

    def deposit_a_third() -> None:
        theirs(torch.ones(1, 2)).mean().div(3).backward()

    for micro_batch in range(16):
        hidden = mine(torch.ones(1, 2))
        hidden.register_hook(lambda _: together(deposit_a_third))
        (hidden.mean() / 4).backward()
        if micro_batch % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()

    assert rules(session) == []


def test_the_same_line_divides_by_another_number_in_each_thread(session: Session) -> None:
    models = nn.Linear(2, 1), nn.Linear(2, 1)

    def accumulate(model: nn.Module, window: int) -> None:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for micro_batch in range(4 * window):
            (model(torch.ones(1, 2)).mean() / window).backward()
            if (micro_batch + 1) % window == 0:
                optimizer.step()
                optimizer.zero_grad()

    together(partial(accumulate, models[0], 4), partial(accumulate, models[1], 3))

    assert rules(session) == []


class ClearedBesideAnother(nn.Linear):
    """While it is cleared, another thread clears a model of its own."""

    other = nn.Linear(2, 1)

    @property
    def _is_replica(self) -> bool:  # of all torch, only `zero_grad` reads it
        together(self.other.zero_grad)
        return False


def test_a_clear_stands_where_its_own_thread_called_it(session: Session) -> None:
    model = ClearedBesideAnother(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    for _ in range(4):
        model(torch.ones(1, 2)).sum().backward()
        model.zero_grad()
        optimizer.step()

    assert rules(session) == ["zero-before-step"]
    assert session.findings[0].location.path.endswith("test_threads.py")
