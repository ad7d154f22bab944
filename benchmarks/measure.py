"""Ratios on a noisy machine: variants take turns, each compared with the baseline beside it.

A variant is a function that runs n steps and returns the CPU seconds they took. Every round runs
a block of each, in an order that is reversed from round to round, with the garbage collector off;
ratios are taken within a round. The baseline runs twice: its second copy is the A/A control, and
a difference inside the control's spread is no result.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median, quantiles
from time import thread_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Block = Callable[[int], float]
"""Runs n steps and returns the seconds of this thread's CPU time that they took."""

CONTROL = "the same again (A/A control)"

KEPT = {
    "MALLOC_TRIM_THRESHOLD_": str(2**32),
    "MALLOC_MMAP_THRESHOLD_": str(2**25),
    "MALLOC_TOP_PAD_": str(2**26),
}
"""Settings of glibc that keep freed memory in the process."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """What a variant costs beside the baseline, over all rounds."""

    variant: str
    median: float
    p5: float
    p95: float

    quiet: float
    """Its fast blocks (p5 of time) against the baseline's fast blocks: the machine undisturbed."""

    microseconds: float
    """A step of its fast blocks."""


def keep_freed_memory() -> None:
    """Begin this script anew with an allocator that gives nothing back to the system.

    Otherwise the variant whose gradients happen to lie on top of the heap pays thousands of page
    faults a step, and the layout of the heap is measured instead of the code.
    """
    if os.environ.keys().isdisjoint(KEPT):
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | KEPT)


def timed(step: Callable[[], object]) -> Block:
    """Make a block of a function that does one step."""

    def block(steps: int) -> float:
        start = thread_time()
        for _ in range(steps):
            step()
        return thread_time() - start

    return block


def compare(
    baseline: Callable[[], Block],
    variants: Mapping[str, Callable[[], Block]],
    *,
    steps: int,
    rounds: int,
) -> list[Ratio]:
    """Build every variant, run the rounds and return the control's ratio and each variant's."""
    blocks = {"baseline": baseline(), CONTROL: baseline()}
    blocks |= {name: build() for name, build in variants.items()}
    times = _rounds(blocks, steps, rounds)
    return [_ratio(name, times[name], times["baseline"], steps) for name in list(blocks)[1:]]


def _rounds(blocks: Mapping[str, Block], steps: int, rounds: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in blocks}
    for block in blocks.values():
        block(steps)  # warm: allocator, optimizer state, lazy imports
    order = list(blocks)
    gc.disable()
    try:
        for _ in range(rounds):
            for name in order:
                blocks[name](1)  # pays for what ran before: another variant, or the collector
                times[name].append(blocks[name](steps))
            order.reverse()
            gc.collect()
    finally:
        gc.enable()
    return times


def _ratio(name: str, times: list[float], beside: list[float], steps: int) -> Ratio:
    ratios = [own / other for own, other in zip(times, beside, strict=True)]
    low, *_, high = quantiles(ratios, n=20)
    fast, fast_beside = quantiles(times, n=20)[0], quantiles(beside, n=20)[0]
    return Ratio(name, median(ratios), low, high, fast / fast_beside, fast / steps * 1e6)
