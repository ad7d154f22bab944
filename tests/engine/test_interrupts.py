"""Ctrl-C comes between any two instructions: what it leaves half done is dropped, and said so."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from engine_cases import mlp, same, square
from torch import nn, optim

import zerograd
from zerograd.engine import engine_index

if TYPE_CHECKING:
    from collections.abc import Callable

ENGINE = str(Path(zerograd.__file__).parent / "engine")


class Interrupt:
    """Raises KeyboardInterrupt at the so many-th line of the engine's own code."""

    def __init__(self, line: int) -> None:
        self.left = line

    def __call__(self, frame: Any, event: str, argument: object) -> Any:
        del argument
        if not frame.f_code.co_filename.startswith(ENGINE):
            return None
        if event == "line":
            self.left -= 1
            if not self.left:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self


def interrupted(call: Callable[[], object], line: int) -> bool:
    """Run a call, and interrupt it at a line; whether it had so many."""
    before = sys.gettrace()
    sys.settrace(Interrupt(line))
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def lines_of(call: Callable[[], object]) -> int:
    counter = Interrupt(10**9)
    before = sys.gettrace()
    sys.settrace(counter)
    try:
        call()
    finally:
        sys.settrace(before)
    return 10**9 - counter.left


OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "clipped": {"clip_norm": 1.0},
    "several": {"accumulate": 2},
}


@pytest.mark.parametrize("options", OPTIONS)
def test_an_engine_trains_on_after_an_interrupt_at_any_line(options: str) -> None:
    model, other = mlp(), mlp(seed=1)
    beside = zerograd.Gradients(optim.SGD(other.parameters(), lr=0.1), accumulate=3)
    gradients = engine_of(model, options)
    beside.backward(square(other, 3, 7))
    kept = [parameter.grad for parameter in other.parameters()]
    wrong, interrupts = [], 0

    for line in range(1, lines_of(partial(train, gradients, model)) + 1):
        interrupts += interrupted(partial(train, gradients, model), line)
        wrong += [(line, what) for what in half_done(gradients, model)]
        gradients.discard()

    assert interrupts > 300
    assert wrong == []
    assert all(p.grad is grad for p, grad in zip(other.parameters(), kept, strict=True))
    assert trains_as_ever(gradients, model, options)
    beside.discard()


def engine_of(model: nn.Module, options: str) -> zerograd.Gradients:
    optimizer = optim.SGD(model.parameters(), lr=0.1, fused=True)
    return zerograd.Gradients(optimizer, **OPTIONS[options])


def train(gradients: zerograd.Gradients, model: nn.Module) -> None:
    for seed in range(2 * (gradients.accumulate or 1)):
        gradients.backward(square(model, 3, seed))


def trains_as_ever(gradients: zerograd.Gradients, model: nn.Module, options: str) -> bool:
    twin = mlp()
    twin.load_state_dict(model.state_dict())
    train(gradients, model)
    train(engine_of(twin, options), twin)
    return same(model, twin)


def half_done(gradients: zerograd.Gradients, model: nn.Module) -> list[str]:
    books = gradients._keeper.books
    held = {parameter.grad is not None for parameter in model.parameters()}
    found = {
        "acting": books.acting,
        "at work": bool(engine_index.at_work),
        "uncounted": books.window.deposits != books.window.micro_batches,
        "accounts": held != {books.window.is_open},
        "aside": any(one.is_aside for one in engine_index.living),
    }
    return [name for name, is_so in found.items() if is_so]
