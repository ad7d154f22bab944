"""What watching keeps in memory: for each parameter tensor, and after a hundred thousand steps.

    python benchmarks/watch_memory.py tensors | STEPS

prints bytes: Python's own record of what the lines of zerograd have allocated and not given back.
The copies of gradients that a fault's damage is measured with have a budget of their own.
"""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path

import torch
from torch import nn

from zerograd.watch.process.session import Session

LAYERS = 1_000
"""Each has a weight and a bias."""

FEW = 24
MANY = (1_000, 100_000)
MANY_QUICK = (1_000, 2_000)
"""Both about as far from the last look at everything: until the next one some kB of calm steps
wait to be booked."""

KILOBYTE = 1_024
GROWTH = 1.05
"""What the later may hold beside the earlier: larger counts take a few bytes more."""

OURS = "*/zerograd/*"


def held() -> int:
    """Return the bytes that our lines hold."""
    taken = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, OURS)])
    return sum(statistic.size for statistic in taken.statistics("filename"))


def train(model: nn.Module, inputs: torch.Tensor, steps: int) -> None:
    """Train as most people do."""
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    for _ in range(steps):
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()


def a_tensor() -> int:
    """Return what is held for each of two thousand small parameters."""
    layers = [nn.Linear(4, 4) for _ in range(LAYERS)]
    train(nn.Sequential(*layers), torch.randn(2, 4), FEW)
    return held() // (2 * LAYERS)


def after(steps: int) -> int:
    """Return what is held after so many steps of a small model."""
    train(nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2)), torch.randn(8, 10), steps)
    return held()


def memories(*, quick: bool) -> list[str]:
    """Return the table, each line measured in a process of its own."""
    few, many = MANY_QUICK if quick else MANY
    a_parameter = _in_a_process("tensors")
    early, late = _in_a_process(str(few)), _in_a_process(str(many))
    lines = ["", "### memory", "", "| what is held | bytes | at most |", "|---|--:|--:|"]
    lines.append(f"| for each of {2 * LAYERS:,} parameter tensors | {a_parameter} | {KILOBYTE} |")
    lines.append(f"| after {few:,} steps of the tiny MLP | {early:,} |  |")
    lines.append(f"| after {many:,} steps | {late:,} | {int(early * GROWTH):,} |")
    print("\n".join(lines), flush=True)
    return lines


def _in_a_process(what: str) -> int:
    """Measure where nothing else has run."""
    command = [sys.executable, str(Path(__file__)), what]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    torch.set_num_threads(1)
    session = Session()
    session.start()
    # Only now: what loads torch's own parts would take minutes to trace.
    tracemalloc.start()
    print(a_tensor() if sys.argv[1] == "tensors" else after(int(sys.argv[1])))
    session.stop()
