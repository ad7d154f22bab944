"""What watching costs: the loop bare and watched, side by side, and the time inside our hooks.

`python benchmarks/watch.py` prints a table; `--apart` runs every variant in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from functools import partial
from statistics import quantiles
from time import thread_time
from typing import TYPE_CHECKING, Any

import torch
from measure import compare, timed
from torch import nn

from zerograd import hooks
from zerograd.hooks.channels import CHANNELS
from zerograd.watch.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from measure import Block


class Loop:
    """A model, an optimizer and one step of training."""

    def __init__(self, model: nn.Module, inputs: torch.Tensor, *, by_hand: bool = False) -> None:
        self.model, self.inputs = model, inputs
        self.optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        self.parameters = list(model.parameters())
        self.clear = self._clear_by_hand if by_hand else self.optimizer.zero_grad

    def step(self) -> None:
        """Train on one batch."""
        self.clear()
        self.model(self.inputs).square().mean().backward()
        self.optimizer.step()

    def _clear_by_hand(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None


class Stopwatch:
    """Hears what an observer hears, and adds up the time that it takes."""

    def __init__(self, observer: Any) -> None:
        self.seconds = 0.0
        for channel in CHANNELS:
            if hasattr(observer, channel.name):
                setattr(self, channel.name, partial(self._time, getattr(observer, channel.name)))

    def _time(self, method: Callable[..., None], *what: Any) -> None:
        start = thread_time()
        method(*what)
        self.seconds += thread_time() - start


def tiny(*, by_hand: bool = False) -> Loop:
    """10-32-2, batch 8: the hardest case."""
    layers = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
    return Loop(layers, torch.randn(8, 10), by_hand=by_hand)


def perceptron() -> Loop:
    """Five million parameters."""
    layers = [layer for _ in range(5) for layer in (nn.Linear(1000, 1000), nn.ReLU())]
    return Loop(nn.Sequential(*layers), torch.randn(16, 1000))


def transformer() -> Loop:
    """Ten million parameters."""
    layer = nn.TransformerEncoderLayer(512, 8, 2048, dropout=0.0, batch_first=True)
    return Loop(
        nn.TransformerEncoder(layer, 3, enable_nested_tensor=False), torch.randn(2, 16, 512)
    )


def convolutions() -> Loop:
    """Three convolutions with batch norm."""
    widths = ((3, 16), (16, 32), (32, 32))
    layers = [
        part for a, b in widths for part in (nn.Conv2d(a, b, 3), nn.BatchNorm2d(b), nn.ReLU())
    ]
    return Loop(nn.Sequential(*layers, nn.Flatten(), nn.LazyLinear(10)), torch.randn(8, 3, 24, 24))


CASES: dict[str, tuple[Callable[[], Loop], int, int]] = {
    "tiny MLP": (tiny, 60, 150),
    "tiny MLP, cleared by hand": (partial(tiny, by_hand=True), 60, 150),
    "5 M MLP": (perceptron, 2, 20),
    "10 M transformer": (transformer, 2, 20),
    "small CNN": (convolutions, 4, 20),
}
"""How to build each, steps a block, rounds."""


def bare(make: Callable[[], Loop]) -> Block:
    """Build the loop as it is."""
    loop = make()
    loop.step()
    return timed(loop.step)


def watched(make: Callable[[], Loop]) -> Block:
    """Build the loop and listen to it while, and only while, its blocks run."""
    session = Session()
    session.start()
    loop = make()
    for _ in range(50):
        loop.step()
    _pause(session)
    block = timed(loop.step)

    def listened(steps: int) -> float:
        hooks.subscribe(session.observer)
        try:
            return block(steps)
        finally:
            _pause(session)

    return listened


def _pause(session: Session) -> None:
    """Hear nothing of the other variants, their modules included."""
    hooks.unsubscribe(session.observer)
    session.observer.modules.stop()


def inside(make: Callable[[], Loop], steps: int) -> float:
    """Return the seconds of one step that are spent inside our hooks."""
    session = Session()
    session.start()
    loop = make()
    for _ in range(50):
        loop.step()
    _pause(session)
    stopwatch = Stopwatch(session.observer)
    hooks.subscribe(stopwatch)
    for _ in range(steps):
        loop.step()
    hooks.unsubscribe(stopwatch)
    return stopwatch.seconds / steps


def main() -> None:
    """Print the table."""
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--apart", action="store_true", help="each variant in its own process")
    parser.add_argument("--only", help="cases whose name contains this")
    parser.add_argument("--block", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.block:
        print(json.dumps(_times(*options.block)))
        return
    for name, (make, steps, rounds) in CASES.items():
        if options.only is None or options.only in name:
            (_apart if options.apart else _together)(name, make, steps, rounds)


def _together(name: str, make: Callable[[], Loop], steps: int, rounds: int) -> None:
    ratios = compare(
        partial(bare, make), {"watched": partial(watched, make)}, steps=steps, rounds=rounds
    )
    print(name)
    for ratio in ratios:
        print(
            f"  {ratio.variant:30} median {ratio.median:.3f}  p5 {ratio.p5:.3f}  "
            f"p95 {ratio.p95:.3f}  fast {ratio.quiet:.3f}  {ratio.microseconds:.0f} us a step"
        )
    seconds = inside(make, steps * 4)
    print(f"  inside our hooks {seconds * 1e6:.1f} us a step", flush=True)


def _apart(name: str, make: Callable[[], Loop], steps: int, rounds: int) -> None:
    del make, steps, rounds
    fast = {}
    for variant in ("bare", "watched", "bare again"):
        command = [sys.executable, __file__, "--block", name, variant]
        times = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        fast[variant] = quantiles(times, n=20)[0]
    control, cost = fast["bare again"] / fast["bare"], fast["watched"] / fast["bare"]
    print(f"{name}: A/A {control:.3f}  watched {cost:.3f}", flush=True)


def _times(name: str, variant: str) -> list[float]:
    make, steps, rounds = CASES[name]
    if variant == "watched":
        Session().start()
    block = bare(make)
    return [block(steps) for _ in range(rounds)]


if __name__ == "__main__":
    main()
