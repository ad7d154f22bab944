"""What happens late in a calm loop is judged as if nobody had remembered anything."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

import zerograd
from zerograd.settings import Settings
from zerograd.watch.memory import Memory
from zerograd.watch.session import Session
from zerograd.watch.stopping import sentence

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

CALM = 300


class Loop:
    """A model of four parameters and the parts of its step."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-4)
        self.parameters = list(self.model.parameters())
        self.inputs = torch.randn(4, 3)

    def backward(self) -> None:
        self.model(self.inputs).square().mean().backward()

    def drop(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None

    def clear(self) -> None:
        self.optimizer.zero_grad()

    def zero(self) -> None:
        for parameter in self.parameters:
            if parameter.grad is not None:
                parameter.grad.zero_()

    def zero_data(self) -> None:
        for parameter in self.parameters:
            if parameter.grad is not None:
                parameter.grad.data.zero_()

    def train(self, clear: Callable[[], None], steps: int) -> None:
        for _ in range(steps):
            clear()
            self.backward()
            self.optimizer.step()


def a_clear_is_left_out(loop: Loop) -> None:
    loop.backward()
    loop.optimizer.step()


def a_second_step(loop: Loop) -> None:
    loop.optimizer.step()


def a_step_on_nothing(loop: Loop) -> None:
    loop.optimizer.zero_grad()
    loop.optimizer.step()


def a_clip_after_the_step(loop: Loop) -> None:
    for _ in range(3):
        loop.train(loop.optimizer.zero_grad, 1)
        nn.utils.clip_grad_norm_(loop.parameters, 1.0)


def a_clear_before_the_step(loop: Loop) -> None:
    for _ in range(3):
        loop.backward()
        loop.optimizer.zero_grad()
        loop.optimizer.step()


def a_clear_by_hand_before_the_step(loop: Loop) -> None:
    for _ in range(3):
        loop.optimizer.zero_grad()
        loop.backward()
        loop.drop()
        loop.optimizer.step()


def a_write_between_step_and_clear(loop: Loop) -> None:
    for parameter in loop.parameters:
        parameter.grad = torch.ones_like(parameter)
    loop.optimizer.zero_grad()
    loop.optimizer.step()


def a_write_before_the_step(loop: Loop) -> None:
    loop.optimizer.zero_grad()
    loop.backward()
    for parameter in loop.parameters:
        parameter.grad = torch.ones_like(parameter)
    loop.optimizer.step()
    loop.optimizer.step()


def a_window_of_two(loop: Loop) -> None:
    for _ in range(4):
        loop.optimizer.zero_grad()
        for _ in range(2):
            loop.backward()
        loop.optimizer.step()


def another_optimizer(loop: Loop) -> None:
    other = torch.optim.SGD(loop.model.parameters(), lr=1e-4)
    for _ in range(4):
        loop.train(loop.optimizer.zero_grad, 1)
        other.step()


def a_backward_that_raises(loop: Loop) -> None:
    loop.optimizer.zero_grad()
    with suppress(RuntimeError):
        torch.ones(1).sum().backward()  # type: ignore[no-untyped-call]
    loop.optimizer.step()


def a_parameter_that_the_clear_leaves_out(loop: Loop) -> None:
    del loop.optimizer.param_groups[0]["params"][1:]
    loop.train(loop.optimizer.zero_grad, 8)


def a_step_from_another_line(loop: Loop) -> None:
    loop.optimizer.zero_grad()
    loop.backward()
    loop.optimizer.step()
    loop.optimizer.step()


def a_clear_of_one_parameter(loop: Loop) -> None:
    for _ in loop.parameters:
        loop.parameters[0].grad = None
        loop.backward()
        loop.optimizer.step()


def zeros_in_one_parameter(loop: Loop) -> None:
    for _ in loop.parameters:
        gradient(loop, 0).zero_()
        loop.backward()
        loop.optimizer.step()


def zeros_in_all_but_one(loop: Loop) -> None:
    for _ in loop.parameters:
        for number in (0, 1, 3):
            gradient(loop, number).zero_()
        loop.backward()
        loop.optimizer.step()


def a_write_into_a_part(loop: Loop) -> None:
    for _ in loop.parameters:
        for number in range(4):
            gradient(loop, number)[:1].zero_()
        loop.backward()
        loop.optimizer.step()


def a_copy_in_place_of_a_clear(loop: Loop) -> None:
    for _ in range(2):
        for number in range(4):
            gradient(loop, number).copy_(torch.ones_like(loop.parameters[number]))
        loop.backward()
        loop.optimizer.step()


def a_decay_in_place_of_a_clear(loop: Loop) -> None:
    for _ in range(2):
        for number in range(4):
            gradient(loop, number).mul_(0.5)
        loop.backward()
        loop.optimizer.step()


def zeros_before_the_step(loop: Loop) -> None:
    for _ in range(3):
        loop.backward()
        loop.zero_data()
        loop.optimizer.step()


def a_parameter_written_before_the_step(loop: Loop) -> None:
    loop.train(loop.optimizer.zero_grad, 1)
    loop.zero()
    loop.backward()
    with torch.no_grad():
        for parameter in loop.parameters:
            parameter.mul_(0.5)
    loop.optimizer.step()


def a_loss_without_slope(loop: Loop) -> None:
    for _ in loop.parameters:
        loop.zero()
        (0 * loop.model(loop.inputs)).sum().backward()
        loop.optimizer.step()


def what_is_allowed(loop: Loop) -> None:
    with zerograd.allow("missing-zero"):
        loop.train(lambda: None, 3)


def what_was_allowed_before(loop: Loop) -> None:
    with zerograd.allow("missing-zero"):
        loop.train(loop.optimizer.zero_grad, 3)
    loop.train(lambda: None, 3)


def gradient(loop: Loop, number: int) -> torch.Tensor:
    held = loop.parameters[number].grad
    return torch.zeros(1) if held is None else held


LATE = [
    a_clear_is_left_out,
    a_second_step,
    a_step_on_nothing,
    a_clip_after_the_step,
    a_clear_before_the_step,
    a_clear_by_hand_before_the_step,
    a_write_between_step_and_clear,
    a_write_before_the_step,
    a_window_of_two,
    another_optimizer,
    a_backward_that_raises,
    a_step_from_another_line,
    a_clear_of_one_parameter,
    zeros_in_all_but_one,
    a_write_into_a_part,
    a_copy_in_place_of_a_clear,
    zeros_before_the_step,
    a_parameter_written_before_the_step,
    a_loss_without_slope,
    what_is_allowed,
    what_was_allowed_before,
]


def story(late: Callable[[Loop], None], clear: str) -> list[str]:
    """Return what is said of a loop that was calm, and then was not, and then is again."""
    session = Session(Settings(preview=True))
    session.start()
    loop = Loop()
    clears = {
        "zero_grad": loop.optimizer.zero_grad,
        "None": loop.drop,
        "zero_": loop.zero,
        "data.zero_": loop.zero_data,
    }

    loop.train(clears[clear], CALM)
    late(loop)
    loop.train(clears[clear], 5)

    session.stop()
    assert session.internal_error is None
    return [
        f"{sentence(one)} [{one.first_step}-{one.last_step}, {one.count} times, {one.damage}]"
        for one in session.findings
    ]


@pytest.mark.parametrize("clear", ["zero_grad", "None", "zero_", "data.zero_"])
@pytest.mark.parametrize("late", LATE, ids=lambda late: late.__name__)
def test_a_late_fault_reads_as_if_nothing_had_been_remembered(
    monkeypatch: pytest.MonkeyPatch, late: Callable[[Loop], None], clear: str
) -> None:
    remembered = story(late, clear)

    monkeypatch.setattr(Memory, "learn", lambda *_: None)
    computed = story(late, clear)

    assert remembered == computed


@pytest.mark.parametrize("clear", ["zero_grad", "None", "zero_", "data.zero_"])
@pytest.mark.parametrize("late", [a_decay_in_place_of_a_clear, zeros_in_one_parameter])
def test_what_only_a_copy_of_the_last_gradients_tells_is_seen_a_little_later(
    late: Callable[[Loop], None], clear: str
) -> None:
    [told] = story(late, clear)

    assert "missing-zero" in told


def test_the_late_faults_are_faults() -> None:
    told = [one for late in LATE[:5] for one in story(late, "zero_grad")]

    assert [one.split(": ")[1].split()[1] for one in told] == [
        "missing-zero",
        "spent-twice",
        "step-without-backward",
        "clip-after-step",
        "zero-before-step",
    ]


def test_a_parameter_that_the_clear_leaves_out_is_seen_when_its_turn_comes() -> None:
    [told] = story(a_parameter_that_the_clear_leaves_out, "zero_grad")

    assert "missing-zero" in told


def frames_of_a_calm_step(loop: Loop, clear: Callable[[], None]) -> list[str]:
    session = Session()
    session.start()
    frames: list[str] = []

    def count(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and "/zerograd/" in frame.f_code.co_filename:
            frames.append(frame.f_code.co_name)

    for number in range(CALM):
        sys.setprofile(count if number == CALM - 1 else None)
        loop.train(clear, 1)
    sys.setprofile(None)
    session.stop()
    return frames


def test_a_calm_step_costs_four_frames() -> None:
    loop = Loop()

    frames = frames_of_a_calm_step(loop, loop.clear)

    assert frames == ["zero_grad", "run_backward", "before_step", "after_step"]


def test_a_calm_step_that_is_cleared_by_hand_costs_five_frames() -> None:
    loop = Loop()

    frames = frames_of_a_calm_step(loop, loop.drop)

    assert frames == [
        *("run_backward", "peek"),
        *("before_step", "peek", "after_step"),
    ]


def test_a_calm_step_that_is_zeroed_by_hand_costs_seven_frames() -> None:
    loop = Loop()

    frames = frames_of_a_calm_step(loop, loop.zero)

    assert frames == [
        *("run_backward", "is_zero", "look", "peek"),
        *("before_step", "peek", "after_step"),
    ]
