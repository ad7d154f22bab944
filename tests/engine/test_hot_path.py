"""What the engine itself executes: counted in instructions of Python, which no load disturbs."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn, optim

import zerograd

if TYPE_CHECKING:
    from collections.abc import Callable

ENGINE = str(Path(zerograd.__file__).parent)


def instructions_of(call: Callable[[], object]) -> int:
    """Return how many instructions of zerograd's own code a call executes."""
    executed: list[str] = []

    def trace(frame: Any, event: str, argument: object) -> Any:
        del argument
        if not frame.f_code.co_filename.startswith(ENGINE):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        executed.append(event)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return executed.count("opcode")


def engine_of(layers: int, **options: Any) -> tuple[nn.Module, zerograd.Gradients]:
    model = nn.Sequential(*(nn.Linear(2, 2) for _ in range(layers)))
    optimizer = optim.SGD(model.parameters(), lr=0.1, fused=True)
    return model, zerograd.Gradients(optimizer, **options)


def test_a_micro_batch_inside_a_window_executes_the_same_however_many_parameters() -> None:
    counts = []
    for layers in (1, 20):
        model, gradients = engine_of(layers, accumulate=8)
        losses = [model(torch.ones(1, 2)).mean() for _ in range(3)]
        gradients.backward(losses[0])
        gradients.backward(losses[1])

        counts.append(instructions_of(partial(gradients.backward, losses[2])))
        gradients.discard()

    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    ("options", "micro_batches", "most"),
    [({}, 1, 950), ({"clip_norm": 1.0}, 1, 1500), ({"accumulate": 4}, 4, 3750)],
)
def test_a_window_of_a_small_model_executes_no_more_than_it_did(
    options: dict[str, Any], micro_batches: int, most: int
) -> None:
    model, gradients = engine_of(2, **options)
    for _ in range(2 * micro_batches):
        gradients.backward(model(torch.ones(1, 2)).mean())
    losses = [model(torch.ones(1, 2)).mean() for _ in range(micro_batches)]

    count = sum(instructions_of(partial(gradients.backward, loss)) for loss in losses)

    assert 0 < count <= most
