"""A GAN's generator step: by hand, it also computes the discriminator's weight gradients."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import torch
from loops import WARMING
from measure import Block, timed
from torch import nn

import zerograd

NOISE, PIXELS = 100, 28 * 28


@dataclass(frozen=True, slots=True)
class Gan:
    """Two MLPs of four layers as tutorials have them, the generator's optimizer, and noise."""

    generator: nn.Module
    discriminator: nn.Module
    optimizer: torch.optim.Optimizer
    noise: torch.Tensor

    def loss(self) -> torch.Tensor:
        """Return how badly the generator fools the discriminator."""
        verdict = self.discriminator(self.generator(self.noise))
        return nn.functional.binary_cross_entropy_with_logits(verdict, torch.ones_like(verdict))


def gan() -> Gan:
    """Make one, always at the same seed."""
    torch.manual_seed(0)
    generator = _mlp(NOISE, 256, 512, 1024, PIXELS)
    discriminator = _mlp(PIXELS, 1024, 512, 256, 1)
    optimizer = torch.optim.AdamW(generator.parameters(), fused=True)
    return Gan(generator, discriminator, optimizer, torch.randn(64, NOISE))


def _mlp(*widths: int) -> nn.Module:
    pairs = itertools.pairwise(widths)
    layers = [layer for pair in pairs for layer in (nn.Linear(*pair), nn.LeakyReLU(0.2))]
    return nn.Sequential(*layers[:-1])


def by_hand() -> Block:
    """Step the generator; the discriminator's gradients are cleared before its own turn."""
    task = gan()

    def step() -> None:
        task.optimizer.zero_grad()
        task.discriminator.zero_grad()
        task.loss().backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
        task.optimizer.step()

    return timed(step)


def with_inputs() -> Block:
    """Do by hand what `only_own` does: what it can save at most."""
    task = gan()
    own = list(task.generator.parameters())

    def step() -> None:
        task.optimizer.zero_grad()
        torch.autograd.backward(task.loss(), inputs=own)
        task.optimizer.step()

    return timed(step)


def by_engine() -> Block:
    """Step the generator, computing its own gradients only."""
    task = gan()

    def block(steps: int) -> float:
        gradients = zerograd.Gradients(task.optimizer, only_own=True)
        measured = timed(lambda: gradients.backward(task.loss()))
        measured(WARMING)
        return measured(steps)

    return block
