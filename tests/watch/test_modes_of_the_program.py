"""A mode of the program (an op log, a FLOP counter) is told of its own work, never of ours."""

from __future__ import annotations

from functools import partial
from runpy import run_path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.functional import cross_entropy
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import zerograd
from zerograd.hooks import program_modes, torch_parts
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable


class FunctionLog(TorchFunctionMode):
    """Writes down every function of torch, and every attribute of a tensor, that is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(repr(func))
        return func(*args, **(kwargs or {}))


class OperationLog(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Writes down every operation that reaches the dispatcher."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seen: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


STEPS = 40
"""Past the steps that the fast path learns from, and a few of its close looks."""


def cleared(clear: Callable[[], None], step: Callable[[], None], number: int) -> None:
    del number
    step()
    clear()


def never_cleared(clear: Callable[[], None], step: Callable[[], None], number: int) -> None:
    del clear, number
    step()


def accumulated(clear: Callable[[], None], step: Callable[[], None], number: int) -> None:
    if number % 4 == 3:
        step()
        clear()


LOOPS = [cleared, never_cleared, accumulated]


def train(loop: Callable[..., None]) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.BatchNorm1d(4), nn.Linear(4, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    average = torch.optim.swa_utils.AveragedModel(model)
    for number in range(STEPS):
        loss = model(torch.randn(3, 4)).square().mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        loop(optimizer.zero_grad, optimizer.step, number)
        average.update_parameters(model)


def train_one_layer(loop: Callable[..., None]) -> None:
    """The fast path of one parameter group, which no clip and no average wakes."""
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.zeros(3, 4)
    for number in range(STEPS):
        model(x).sum().backward()
        loop(optimizer.zero_grad, optimizer.step, number)


def found(session: Session) -> list[str]:
    return [finding.rule.name for finding in session.findings]


@pytest.mark.parametrize("training", [train, train_one_layer])
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("mode", [FunctionLog, OperationLog])
def test_a_mode_is_told_the_same_under_watch_and_the_same_is_found(
    mode: type[FunctionLog | OperationLog],
    loop: Callable[..., None],
    training: Callable[..., None],
) -> None:
    with mode() as bare:
        training(loop)
    without, within = Session(), Session()
    without.start()
    training(loop)
    without.stop()
    within.start()

    with mode() as watched:
        training(loop)

    within.stop()
    assert watched.seen == bare.seen
    assert within.internal_error is None
    assert found(within) == found(without)


@pytest.mark.parametrize("mode", [FunctionLog, OperationLog])
def test_a_mode_around_the_whole_watching_is_told_nothing_of_its_beginning_and_end(
    mode: type[FunctionLog | OperationLog],
) -> None:
    with mode() as bare:
        train(never_cleared)

    with mode() as watched, zerograd.watch(report=False) as watching:
        train(never_cleared)

    assert watched.seen == bare.seen
    assert [finding.rule.name for finding in watching.findings] == ["missing-zero"]


def test_a_rehearsal_with_shapes_alone_is_no_training_and_breaks_nothing() -> None:
    session = Session()
    session.start()
    train_one_layer(cleared)

    with FakeTensorMode():
        train_one_layer(never_cleared)

    train_one_layer(cleared)
    session.stop()
    assert session.internal_error is None
    assert found(session) == []


def test_the_training_after_a_rehearsal_is_watched() -> None:
    session = Session()
    session.start()
    with FakeTensorMode():
        train_one_layer(cleared)

    train_one_layer(never_cleared)

    session.stop()
    assert session.internal_error is None
    assert found(session) == ["missing-zero"]


@pytest.mark.parametrize("record", [False, True])
@pytest.mark.parametrize("shapes", [FakeTensorMode, partial(torch.device, "meta")])
def test_shapes_without_values_are_trained_beside_a_model_that_is_watched(
    shapes: Callable[[], Any], record: bool
) -> None:
    session = Session(record=record)
    session.start()
    with shapes():
        model, batch = nn.Linear(4, 2), torch.ones(3, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(STEPS):
        cross_entropy(model(batch), batch[:, :2]).backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    train_one_layer(never_cleared)

    session.stop()
    assert session.internal_error is None
    assert found(session) == ["missing-zero"]


@pytest.mark.parametrize("mode", [FunctionLog, OperationLog])
def test_a_hook_that_we_stepped_out_for_leaves_all_modes_in_their_order(
    mode: type[FunctionLog | OperationLog],
) -> None:
    session = Session()
    session.start()

    with mode() as outer, mode() as inner:
        train_one_layer(cleared)
        both = len(inner.seen), len(outer.seen)
        torch.ones(1)

    session.stop()
    assert (len(inner.seen), len(outer.seen)) == (both[0] + 1, both[1] + 1)


@pytest.mark.parametrize("mode", [FunctionLog, OperationLog])
def test_a_log_that_is_told_of_our_work_would_show_it(
    mode: type[FunctionLog | OperationLog],
) -> None:
    with mode() as log:
        torch.ones(1).any()

    assert len(log.seen) == 2


def nothing(path: str) -> None:
    del path


def test_a_torch_without_these_stacks_is_not_asked_for_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch_parts, "find", nothing)
    without = run_path(str(program_modes.__file__))

    with FunctionLog() as functions, OperationLog() as operations:
        on = without["is_operation_mode_on"]()
        with without["OutsideModes"]():
            torch.ones(1)

    assert not on
    assert len(functions.seen) == len(operations.seen) == 1
