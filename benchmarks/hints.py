"""What the two hints are worth on CPU: a fused step, and a clear that leaves None.

    python benchmarks/hints.py [--quick]

prints the tables and writes them into benchmarks/RESULTS.md.
"""

from __future__ import annotations

import itertools
import sys
from functools import partial
from typing import TYPE_CHECKING

import torch
from comparison import Comparison, tables
from measure import Block, keep_freed_memory, timed
from results import write_section
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

TITLE = """## What the hints are worth

`unfused-optimizer`: AdamW's step alone, beside `fused=True`. `zero-in-place`: the clear and the \
backward after it, beside a clear that leaves None: zeros have to be written, and added to."""

SHAPES = {
    "500 small tensors": (250, 16, 8),
    "five tensors of 4 MB": (5, 1024, 8),
}
"""Layers, their width, and steps a block. The large weights have small biases beside them."""


def layers(count: int, width: int) -> nn.Sequential:
    """Make square layers, one after the other."""
    torch.manual_seed(0)
    widths = itertools.pairwise([width] * (count + 1))
    return nn.Sequential(*(nn.Linear(*pair) for pair in widths))


def step_alone(
    count: int, width: int, *, fused: bool | None = None, foreach: bool | None = None
) -> Block:
    """Step again and again on the same gradients."""
    model = layers(count, width)
    for parameter in model.parameters():
        parameter.grad = torch.full_like(parameter, 1e-3)
    return timed(torch.optim.AdamW(model.parameters(), fused=fused, foreach=foreach).step)


def clear_and_backward(count: int, width: int, *, set_to_none: bool) -> Block:
    """Clear, and fill the gradients again."""
    model, inputs = layers(count, width), torch.randn(1, width)

    def step() -> None:
        model.zero_grad(set_to_none=set_to_none)
        model(inputs).sum().backward()

    return timed(step)


def comparisons() -> Iterator[Comparison]:
    """Yield one table a hint and a size of tensors."""
    for name, (count, width, steps) in SHAPES.items():
        step = partial(step_alone, count, width)
        ways = {"the default": step, "foreach=True": partial(step, foreach=True)}
        yield _compared(f"AdamW, {name}", partial(step, fused=True), ways, steps)
    for name, (count, width, steps) in SHAPES.items():
        clear = partial(clear_and_backward, count, width)
        ways = {"set_to_none=False": partial(clear, set_to_none=False)}
        yield _compared(f"clear, {name}", partial(clear, set_to_none=True), ways, steps)


def _compared(
    title: str, baseline: Callable[[], Block], ways: Mapping[str, Callable[[], Block]], steps: int
) -> Comparison:
    """Compare, with nothing promised: these are torch's own ways."""
    return Comparison(title, baseline, ways, steps, rounds=40, limits={})


def main() -> None:
    """Measure everything, in fewer and shorter rounds if it has to be quick."""
    keep_freed_memory()
    torch.set_num_threads(1)
    write_section("hints", [TITLE, *tables(comparisons(), quick="--quick" in sys.argv[1:])])


if __name__ == "__main__":
    main()
