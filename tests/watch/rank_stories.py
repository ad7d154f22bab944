"""A loop over two ranks that is calm for long, and what may happen to it then."""

from __future__ import annotations

import gc
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from zerograd.settings import Settings
from zerograd.watch.fast_path.call_cache import CallCache
from zerograd.watch.process.session import Session
from zerograd.watch.process.stopping import sentence

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

CALM = 150
"""Then step 128 was compared with the other rank's, and 160 is the next."""


class Story(NamedTuple):
    """What one rank's watcher saw and wrote down."""

    findings: list[str]
    held: list[dict[str, Any]]
    steps: int
    deposits: int


class Loop:
    """A wrapped model and the parts of its step."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.bare: Any = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
        self.model: Any = DistributedDataParallel(self.bare)
        self.optimizer = torch.optim.RMSprop(self.bare.parameters(), lr=1e-4)
        self.inputs = torch.randn(4, 3) + dist.get_rank()

    def train(self, steps: int, model: Any = None) -> None:
        for _ in range(steps):
            self.optimizer.zero_grad()
            (model or self.model)(self.inputs).square().mean().backward()
            self.optimizer.step()

    def deposit(self) -> None:
        self.model(self.inputs).square().mean().backward()


def nothing(loop: Loop) -> None:
    del loop


def a_step_without_a_reduction(loop: Loop) -> None:
    loop.optimizer.zero_grad()
    with loop.model.no_sync():
        loop.deposit()
    loop.optimizer.step()


def a_flag_after_the_forward(loop: Loop) -> None:
    loop.model.require_backward_grad_sync = False
    loop.optimizer.zero_grad()
    loss = loop.model(loop.inputs).square().mean()
    loop.model.require_backward_grad_sync = True
    loss.backward()
    loop.optimizer.step()


def the_bare_module(loop: Loop) -> None:
    loop.train(6, loop.bare)


def every_micro_batch_reduced(loop: Loop) -> None:
    loop.optimizer.zero_grad()
    for number in range(16):
        (loop.model(loop.inputs).square().mean() / 4).backward()
        if (number + 1) % 4 == 0:
            loop.optimizer.step()
            loop.optimizer.zero_grad()


def a_clear_that_is_left_out(loop: Loop) -> None:
    loop.deposit()
    loop.optimizer.step()


def a_rank_that_parts(loop: Loop) -> None:
    with torch.no_grad():
        loop.bare[1].bias.add_(float(dist.get_rank()))


def a_gradient_reduced_by_hand(loop: Loop) -> None:
    for _ in range(40):
        loop.optimizer.zero_grad()
        loop.bare(loop.inputs).square().mean().backward()
        for parameter in loop.bare.parameters():
            dist.all_reduce(parameter.grad)
        loop.optimizer.step()


def a_loss_reduced_for_the_log(loop: Loop) -> None:
    for _ in range(40):
        loop.train(1)
        dist.all_reduce(torch.ones(()))


def a_second_wrapper(loop: Loop) -> None:
    second = DistributedDataParallel(loop.bare)
    loop.train(20, second)


def a_wrapper_that_is_gone(loop: Loop) -> None:
    second = DistributedDataParallel(loop.bare)
    with second.no_sync():
        loop.train(2, second)
    del second
    gc.collect()
    loop.train(40)


def another_optimizer(loop: Loop) -> None:
    loop.optimizer = torch.optim.RMSprop(loop.bare.parameters(), lr=1e-5)
    loop.train(20)


def a_backward_that_fails(loop: Loop) -> None:
    with suppress(RuntimeError):
        torch.autograd.backward(torch.zeros(()))
    loop.train(40)


def a_step_that_fails(loop: Loop) -> None:
    def fail(*_: Any) -> None:
        raise ValueError

    handle = loop.optimizer.register_step_pre_hook(fail)
    with suppress(ValueError):
        loop.train(1)
    handle.remove()
    loop.train(40)


def told(late: Callable[[Loop], None], *, remembers: bool = True, counts: bool = True) -> Story:
    """Watch a loop, calm but for one thing that happens late."""
    held: list[dict[str, Any]] = []
    session = Session(Settings(preview=True, hints=True), on_held=held.append)
    with pytest.MonkeyPatch.context() as patched:
        if not remembers:
            patched.setattr(CallCache, "learn", lambda *_: None)
        session.start()
        loop = Loop()
        loop.train(20)
        if not counts:
            patched.setattr(session.observer.steps, "passed", lambda _: None)
        loop.train(CALM - 20)
        assert session.cache.is_ahead is remembers
        late(loop)
        loop.train(40)
        session.stop()
    assert session.internal_error is None
    found = [
        f"{sentence(one)} [{one.first_step}-{one.last_step}, {one.count} times, {one.damage}]"
        for one in session.findings
    ]
    return Story(found, held, session.observer.steps.count, session.observer.deposits.count)


def rides_while_it_logs() -> bool:
    """Return whether a loop is calm that reduces its loss at every step."""
    session = Session(on_held=lambda _: None)
    session.start()
    loop = Loop()
    for _ in range(CALM):
        loop.train(1)
        dist.all_reduce(torch.ones(()))
    is_ahead = session.cache.is_ahead
    session.stop()
    return is_ahead


def rides_again_after(late: Callable[[Loop], None]) -> bool:
    """Return whether a loop is calm again some steps after what happened to it."""
    session = Session(on_held=lambda _: None)
    session.start()
    loop = Loop()
    loop.train(CALM)
    late(loop)
    loop.train(90)
    is_ahead = session.cache.is_ahead
    session.stop()
    return is_ahead


def frames_of_a_calm_step() -> list[str]:
    """Return the calls of ours in the last of many steps."""
    session = Session(on_held=lambda _: None)
    session.start()
    frames: list[str] = []

    def count(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and "/zerograd/" in frame.f_code.co_filename:
            frames.append(frame.f_code.co_name)

    loop = Loop()
    for number in range(CALM):
        sys.setprofile(count if number == CALM - 1 else None)
        loop.train(1)
    sys.setprofile(None)
    session.stop()
    return frames
