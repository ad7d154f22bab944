"""What happens late in a calm loop is judged as if nobody had remembered anything."""

from __future__ import annotations

import os
import sys
from collections import Counter
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest
import torch
from torch import nn

import zerograd
from zerograd.settings import Settings
from zerograd.watch.fast_path.backward import CLOSELY
from zerograd.watch.fast_path.call_cache import CallCache
from zerograd.watch.process.session import Session
from zerograd.watch.process.stopping import sentence

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

CALM = 302


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


CLEARS = ["zero_grad", "None", "zero_", "data.zero_"]


def tried_with(late: Callable[[Loop], None]) -> list[str]:
    """Return the clears of the loops that a fault is tried in.

    `make robustness` tries all four, `make test` one, which the fault's name draws: 600 steps each.
    """
    if os.environ.get("ZEROGRAD_ROBUSTNESS"):
        return CLEARS
    return [CLEARS[crc32(late.__name__.encode()) % len(CLEARS)]]


@pytest.mark.parametrize(
    ("late", "clear"),
    [
        pytest.param(late, clear, id=f"{late.__name__}-{clear}")
        for late in LATE
        for clear in tried_with(late)
    ],
)
def test_a_late_fault_reads_as_if_nothing_had_been_remembered(
    monkeypatch: pytest.MonkeyPatch, late: Callable[[Loop], None], clear: str
) -> None:
    remembered = story(late, clear)

    monkeypatch.setattr(CallCache, "learn", lambda *_: None)
    computed = story(late, clear)

    assert remembered == computed


@pytest.mark.parametrize("clear", CLEARS)
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


def test_a_closure_that_comes_late_is_heard() -> None:
    loop, callers = Loop(), []
    session = Session()
    session.start()

    def closure() -> float:
        callers.append(sys._getframe(1).f_code.co_name)
        return 0.0

    for number in range(CALM + 3):
        loop.clear()
        loop.backward()
        loop.optimizer.step(closure if number >= CALM else None)

    session.stop()
    # Under torch's `enable_grad` it is not called by torch itself but by us.
    assert callers == ["evaluate"] * 3


def frames_of_calm_steps(loop: Loop, clear: Callable[[], None], steps: int) -> list[str]:
    session = Session()
    session.start()
    frames: list[str] = []

    def count(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and "/zerograd/" in frame.f_code.co_filename:
            frames.append(frame.f_code.co_name)

    for number in range(CALM):
        sys.setprofile(count if number >= CALM - steps else None)
        loop.train(clear, 1)
    sys.setprofile(None)
    session.stop()
    return frames


def bytecodes_of_a_calm_step(loop: Loop) -> Counter[str]:
    session = Session()
    session.start()
    executed: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: Any) -> Any:
        if "/zerograd/" not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        executed[frame.f_code.co_name] += event == "opcode"
        return count

    before = sys.gettrace()
    for number in range(CALM):
        sys.settrace(count if number == CALM - 1 else before)
        loop.train(loop.clear, 1)
    sys.settrace(before)
    session.stop()
    return executed


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="each Python compiles the same lines to other bytecodes"
)
def test_a_calm_step_costs_few_bytecodes() -> None:
    executed = bytecodes_of_a_calm_step(Loop())

    assert set(executed) == {"zero_grad", "run_backward", "before_step", "after_step"}
    assert executed["zero_grad"] <= 118
    assert executed["run_backward"] <= 213
    assert executed["before_step"] <= 101
    assert executed["after_step"] <= 18


def test_a_calm_step_costs_four_frames() -> None:
    loop = Loop()

    frames = frames_of_calm_steps(loop, loop.clear, 1)

    assert frames == ["zero_grad", "run_backward", "before_step", "after_step"]


@pytest.mark.parametrize("clear", ["zero", "zero_data"])
def test_a_calm_step_that_is_zeroed_by_hand_costs_three_frames_and_at_times_three_more(
    clear: str,
) -> None:
    loop = Loop()

    frames = frames_of_calm_steps(loop, getattr(loop, clear), CLOSELY)

    assert Counter(frames) == {
        "run_backward": CLOSELY,
        "before_step": CLOSELY,
        "after_step": CLOSELY,
        "peek": 2,
        "is_zero": 1,
    }


def test_a_calm_step_whose_gradients_are_dropped_by_hand_is_answered_from_memory() -> None:
    loop = Loop()

    frames = Counter(frames_of_calm_steps(loop, loop.drop, CLOSELY))

    # How values are read depends on whether a new gradient lies where an old one lay.
    assert frames["run_backward"] == frames["before_step"] == frames["after_step"] == CLOSELY
    assert not frames["backward_begins"]
    assert not frames["step_begins"]


@pytest.mark.parametrize("clear", ["drop", "zero", "zero_data"])
def test_zeros_that_nothing_but_a_value_shows_are_seen_when_values_are_read(clear: str) -> None:
    loop = Loop()
    session = Session(Settings(preview=True))
    session.start()

    for number in range(CALM + CLOSELY + 2):
        getattr(loop, clear)()
        loop.backward()
        if number >= CALM:
            loop.zero_data()
        loop.optimizer.step()

    session.stop()
    [found] = session.findings
    assert found.rule.name == "zero-before-step"
    assert found.first_step is not None
    assert CALM < found.first_step <= CALM + CLOSELY


def test_a_calm_clear_bears_its_label_while_somebody_profiles() -> None:
    loop = Loop()
    session = Session()
    session.start()
    loop.train(loop.clear, CALM)

    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        loop.train(loop.clear, 3)

    session.stop()
    calls = {event.key: event.count for event in profile.key_averages()}
    assert calls["Optimizer.zero_grad#SGD.zero_grad"] == 3


def test_a_wrapper_that_was_there_before_is_called_by_a_calm_clear(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop, called = Loop(), []
    original = torch.optim.Optimizer.zero_grad

    @wraps(original)
    def zero_grad(self: torch.optim.Optimizer, set_to_none: bool = True) -> None:
        called.append(self)
        original(self, set_to_none)

    monkeypatch.setattr(torch.optim.Optimizer, "zero_grad", zero_grad)
    session = Session()
    session.start()
    loop.train(loop.clear, CALM)
    session.stop()

    assert len(called) == CALM


def a_layer_is_frozen(loop: Loop) -> None:
    for parameter in loop.parameters[:2]:
        parameter.requires_grad_(False)
        parameter.grad = None


def its_gradients_are_dropped(loop: Loop) -> None:
    loop.drop()


@pytest.mark.parametrize("window", [1, 2])
@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("late", [a_layer_is_frozen, its_gradients_are_dropped])
def test_what_happens_by_hand_between_the_same_lines_is_no_fault(
    late: Callable[[Loop], None], turn: int, window: int
) -> None:
    loop = Loop()
    session = Session()
    session.start()

    for number in range(40):
        loop.optimizer.zero_grad()
        if number == 20 + turn:
            late(loop)
        for _ in range(window):
            (loop.model(loop.inputs).square().mean() / window).backward()
        loop.optimizer.step()

    session.stop()
    assert session.internal_error is None
    assert session.findings == []


@pytest.mark.parametrize("turn", range(4))
def test_gradients_dropped_before_the_step_of_a_calm_loop_are_seen_at_once(turn: int) -> None:
    loop = Loop()
    session = Session(Settings(preview=True))
    session.start()

    for number in range(40):
        loop.optimizer.zero_grad()
        loop.backward()
        if number >= 20 + turn:
            loop.drop()
        loop.optimizer.step()

    session.stop()
    assert session.internal_error is None
    [found] = session.findings
    assert found.rule.name == "zero-before-step"
    assert found.first_step == 21 + turn


@pytest.mark.parametrize("clear", ["zero", "zero_data"])
def test_a_clear_of_the_first_elements_alone_is_seen_when_values_are_read(clear: str) -> None:
    loop = Loop()
    session = Session(Settings(preview=True))
    session.start()

    for number in range(60):
        if number < 20:
            getattr(loop, clear)()
        else:
            for one in range(4):
                gradient(loop, one).data.view(-1)[0] = 0
        loop.backward()
        loop.optimizer.step()

    session.stop()
    [found] = session.findings
    assert found.rule.name == "missing-zero"
    assert found.first_step is not None
    # The lines are new at first, and not yet answered from memory.
    assert found.first_step <= 20 + 2 * CLOSELY


def test_a_wrapper_that_torch_decorates_is_called_by_a_calm_clear(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop, called = Loop(), []
    original = torch.optim.Optimizer.zero_grad

    @torch.no_grad()
    @wraps(original)
    def zero_grad(self: torch.optim.Optimizer, set_to_none: bool = True) -> None:
        called.append(self)
        original(self, set_to_none)

    monkeypatch.setattr(torch.optim.Optimizer, "zero_grad", zero_grad)
    session = Session()
    session.start()
    loop.train(loop.clear, 40)
    session.stop()

    assert len(called) == 40


def test_a_step_counts_though_most_of_its_parameters_stay_where_they_are() -> None:
    loop = Loop()
    still, moving = loop.parameters[:3], loop.parameters[3:]
    groups = [{"params": still, "lr": 1e-30}, {"params": moving, "lr": 1e-3}]
    loop.optimizer = torch.optim.SGD(groups)
    session = Session(Settings(preview=True))
    session.start()

    loop.train(loop.clear, 30)
    loop.train(lambda: None, 3)

    session.stop()
    [found] = session.findings
    assert found.first_step == 31


def test_a_clear_that_leaves_a_parameter_out_is_counted_from_its_first_step() -> None:
    own, part = nn.Parameter(torch.ones(4)), nn.Linear(4, 4)
    optimizer = torch.optim.SGD([*part.parameters(), own], lr=1e-4)
    session = Session(Settings(preview=True))
    session.start()

    for step in range(400):
        if step < 200:
            optimizer.zero_grad()
        else:
            part.zero_grad()
        (part(torch.ones(2, 4)) * own).mean().backward()
        optimizer.step()

    session.stop()
    [found] = session.findings
    assert (found.count, found.first_step, found.last_step) == (200, 201, 400)
    assert found.message.endswith(f"last cleared at line {found.location.line - 3}")


def test_from_the_step_that_shows_a_fault_of_one_parameter_each_is_counted() -> None:
    own, part = nn.Parameter(torch.ones(4)), nn.Linear(4, 4)
    optimizer = torch.optim.SGD([*part.parameters(), own], lr=1e-4)
    session = Session(Settings(preview=True))
    session.start()

    for step in range(400):
        for parameter in part.parameters() if step >= 200 else [*part.parameters(), own]:
            parameter.grad = None
        (part(torch.ones(2, 4)) * own).mean().backward()
        optimizer.step()

    session.stop()
    [found] = session.findings
    assert found.first_step in {201, 202, 203}  # one of three is looked at in turn
    assert found.count == 400 - found.first_step + 1


def test_the_last_step_by_hand_is_counted_too() -> None:
    weight = torch.ones(3, requires_grad=True)
    session = Session(Settings(preview=True))
    session.start()

    for _ in range(15):
        weight.square().sum().backward()  # type: ignore[no-untyped-call]
        with torch.no_grad():
            weight -= 0.01 * weight.grad  # type: ignore[operator]

    session.stop()
    [found] = session.findings
    assert (found.rule.name, found.count, found.last_step) == ("missing-zero", 14, 15)
