"""A GAN's generator step: by hand, it also computes the discriminator's weight gradients.

    python benchmarks/generator.py [--quick]

prints the tables and writes them into benchmarks/RESULTS.md.
"""

from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from comparison import Comparison, tables
from loops import WARMING
from measure import Block, keep_freed_memory, timed
from results import write_section
from torch import nn

import zerograd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ONLY_OWN = "engine, only_own=True"


@dataclass(frozen=True, slots=True)
class Shape:
    """The widths of two MLPs of four layers, noise first and verdict last."""

    generator: tuple[int, ...]
    discriminator: tuple[int, ...]
    batch: int


POINTS = Shape((8, 64, 64, 64, 2), (2, 64, 64, 64, 1), batch=16)
IMAGES = Shape((100, 256, 512, 1024, 28 * 28), (28 * 28, 1024, 512, 256, 1), batch=64)
HEAVY = Shape((100, 128, 256, 512, 28 * 28), (28 * 28, 1024, 1024, 512, 1), batch=64)
"""Points in the plane, MNIST with equal networks, and with the heavier discriminator.

Forward and backward of two equal networks are six matrix products a layer, and the
discriminator's weight gradients are one of them: where products are all that costs, 5/6 = 0.83
is as fast as anybody can be. The heavier the discriminator, the nearer it comes to 2/3.
"""


@dataclass(frozen=True, slots=True)
class Gan:
    """A generator, what it tries to fool, the generator's optimizer, and noise."""

    generator: nn.Module
    discriminator: nn.Module
    optimizer: torch.optim.Optimizer
    noise: torch.Tensor

    def loss(self) -> torch.Tensor:
        """Return how badly the generator fools the discriminator."""
        verdict = self.discriminator(self.generator(self.noise))
        return nn.functional.binary_cross_entropy_with_logits(verdict, torch.ones_like(verdict))


def gan(shape: Shape) -> Gan:
    """Make one, always at the same seed."""
    torch.manual_seed(0)
    generator = _mlp(*shape.generator)
    discriminator = _mlp(*shape.discriminator)
    optimizer = torch.optim.AdamW(generator.parameters(), fused=True)
    noise = torch.randn(shape.batch, shape.generator[0])
    return Gan(generator, discriminator, optimizer, noise)


def _mlp(*widths: int) -> nn.Module:
    pairs = itertools.pairwise(widths)
    layers = [layer for pair in pairs for layer in (nn.Linear(*pair), nn.LeakyReLU(0.2))]
    return nn.Sequential(*layers[:-1])


def by_hand(shape: Shape) -> Callable[[], Block]:
    """Step the generator; the discriminator's gradients are cleared before its own turn."""

    def make() -> Block:
        task = gan(shape)

        def step() -> None:
            task.optimizer.zero_grad()
            task.discriminator.zero_grad()
            task.loss().backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
            task.optimizer.step()

        return timed(step)

    return make


def with_inputs(shape: Shape) -> Callable[[], Block]:
    """Do by hand what `only_own` does: what it can save at most."""

    def make() -> Block:
        task = gan(shape)
        own = list(task.generator.parameters())

        def step() -> None:
            task.optimizer.zero_grad()
            torch.autograd.backward(task.loss(), inputs=own)
            task.optimizer.step()

        return timed(step)

    return make


def by_engine(shape: Shape) -> Callable[[], Block]:
    """Step the generator, computing its own gradients only."""

    def make() -> Block:
        task = gan(shape)

        def block(steps: int) -> float:
            gradients = zerograd.Gradients(task.optimizer, only_own=True)
            measured = timed(lambda: gradients.backward(task.loss()))
            measured(WARMING)
            return measured(steps)

        return block

    return make


TITLE = """## The generator's step of a GAN

Two MLPs of four layers; ratios to the step by hand, which also computes the discriminator's \
weight gradients. Between equal networks 5/6 = 0.83 is as fast as anybody can be where matrix \
products are all that costs; the heavier the discriminator, the nearer it comes to 2/3."""


def comparisons() -> Iterator[Comparison]:
    """Yield the heavier discriminator first: there the engine promises something."""
    heavy = "28 x 28 images, the discriminator heavier, batch 64"
    yield _compared(heavy, HEAVY, {ONLY_OWN: 0.8}, 10)
    yield _compared("28 x 28 images, equal networks, batch 64", IMAGES, {}, 10)
    yield _compared("points, equal networks of width 64, batch 16", POINTS, {}, 50)


def _compared(name: str, shape: Shape, limits: Mapping[str, float], steps: int) -> Comparison:
    """Compare the ways to step the generator."""
    variants = {ONLY_OWN: by_engine(shape), "by hand, inputs=": with_inputs(shape)}
    return Comparison(name, by_hand(shape), variants, steps, rounds=60, limits=limits)


def main() -> None:
    """Measure everything, in fewer and shorter rounds if it has to be quick."""
    keep_freed_memory()
    torch.set_num_threads(1)
    write_section("generator", [TITLE, *tables(comparisons(), quick="--quick" in sys.argv[1:])])


if __name__ == "__main__":
    main()
