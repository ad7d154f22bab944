"""Peak memory of live tensors in one training step, each measured in a process of its own.

    python benchmarks/memory.py

prints the table and writes it into benchmarks/RESULTS.md: by how much tensors grew above what was
alive before the step. That is torch's own record of every allocation, so that the allocator's
habits and the interpreter do not blur it.
"""

from __future__ import annotations

import itertools
from multiprocessing import get_context
from typing import TYPE_CHECKING

import torch
from results import write_section
from torch import nn
from torch.autograd.profiler import profile

import zerograd

if TYPE_CHECKING:
    from collections.abc import Callable

WEIGHTS = [700] * 41
"""Widths of an MLP whose weights dominate: 40 layers of 700 x 700."""

ACTIVATIONS = 32
"""The batch of a model whose activations dominate."""


def peak(step: Callable[[], object]) -> int:
    """Return the most bytes that tensors held during a step, above what they held before."""
    with profile(use_cpu=True, profile_memory=True) as record:
        step()
    assert record.kineto_results is not None
    events = [e for e in record.kineto_results.events() if e.name() == "[memory]"]
    events.sort(key=lambda event: event.start_ns())
    most = now = 0
    for event in events:
        now += event.nbytes()
        most = max(most, now)
    return most


def weights_dominate(clear: str = "none", *, in_backward: bool = False) -> int:
    """Measure a step of the weight-heavy MLP under one way of clearing."""
    torch.manual_seed(0)
    layers = [nn.Linear(*pair) for pair in itertools.pairwise(WEIGHTS)]
    model, inputs = nn.Sequential(*layers), torch.randn(1, WEIGHTS[0])
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    gradients = zerograd.Gradients(optimizer, clear=clear, step_in_backward=in_backward)

    def step() -> None:
        gradients.backward(model(inputs).square().mean())

    step()
    return peak(step) + _held(model)


def _held(model: nn.Module) -> int:
    """Return the gradients that a way of clearing keeps between two steps."""
    return sum(p.grad.nbytes for p in model.parameters() if p.grad is not None)


def activations_dominate(micro_batches: int) -> int:
    """Measure a whole window over 32 samples, cut into micro-batches."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True)
    model = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    gradients = zerograd.Gradients(optimizer, accumulate=micro_batches)
    parts = torch.randn(ACTIVATIONS, 64, 128).chunk(micro_batches)

    def step() -> None:
        for inputs in parts:
            gradients.backward(model(inputs).square().mean(), items=len(inputs))

    step()
    return peak(step)


def theory() -> int:
    """Return what step_in_backward saves: one gradient set less its largest gradient."""
    sizes = [4 * size for a, b in itertools.pairwise(WEIGHTS) for size in (a * b, b)]
    return sum(sizes) - max(sizes)


CASES: dict[str, Callable[[], int]] = {
    "clear-none": weights_dominate,
    "clear-zero": lambda: weights_dominate("zero"),
    "step-in-backward": lambda: weights_dominate(in_backward=True),
    "batch-of-32": lambda: activations_dominate(1),
    "4-times-8": lambda: activations_dominate(4),
}


def peaks_of_all() -> dict[str, int]:
    """Measure every case in a forked process, where no other has run."""
    with get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        return dict(zip(CASES, pool.map(_peak_of, CASES, chunksize=1), strict=True))


def _peak_of(case: str) -> int:
    torch.set_num_threads(1)
    return CASES[case]()


def table() -> list[str]:
    """Measure every case and return the section's lines."""
    peaks = peaks_of_all()
    saved, promised = peaks["clear-none"] - peaks["step-in-backward"], theory()
    return [
        "## Memory",
        "",
        "| peak of live tensors in a step | MB |",
        "|---|--:|",
        *(f"| {case} | {peaks[case] / 1e6:.1f} |" for case in CASES),
        "",
        f"`step_in_backward` saves {saved / 1e6:.2f} MB; one gradient set less its largest",
        f"gradient is {promised / 1e6:.2f} MB ({saved / promised - 1:+.2%}). One batch of 32",
        f"against 4 x 8: {peaks['4-times-8'] / peaks['batch-of-32']:.2f}x.",
    ]


def main() -> None:
    """Measure, print the table and write it."""
    lines = table()
    print("\n".join(lines))
    write_section("memory", lines)


if __name__ == "__main__":
    main()
