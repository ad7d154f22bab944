"""What is watched in the benchmarks: five models, each with one batch that comes again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Case:
    """A model to train, and how long to measure it."""

    model: Callable[[], nn.Module]
    inputs: Callable[[], torch.Tensor]
    steps: int
    """Steps of a block."""

    rounds: int
    limit: float | None = None
    """What watching may cost; None: not more than the A/A control shows."""

    by_hand: bool = False
    """Cleared with `p.grad = None` instead of `zero_grad()`."""

    settling: int = 0
    """Steps before each block: when a class is patched, Python takes some fifty calls until its
    instructions suit it again. A run pays for that once, toggling would pay in every block."""

    def loop(self) -> Loop:
        """Build the model and its optimizer."""
        return Loop(self.model(), self.inputs(), by_hand=self.by_hand)


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


def _tiny() -> nn.Module:
    return nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))


def _perceptron() -> nn.Module:
    layers = [layer for _ in range(5) for layer in (nn.Linear(1000, 1000), nn.ReLU())]
    return nn.Sequential(*layers)


def _transformer() -> nn.Module:
    layer = nn.TransformerEncoderLayer(512, 8, 2048, dropout=0.0, batch_first=True)
    return nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)


def _convolutions() -> nn.Module:
    widths = ((3, 16), (16, 32), (32, 32))
    layers = [
        part for a, b in widths for part in (nn.Conv2d(a, b, 3), nn.BatchNorm2d(b), nn.ReLU())
    ]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(32 * 26 * 26, 10))


def _batch(*shape: int) -> Callable[[], torch.Tensor]:
    return partial(torch.randn, *shape)


CASES = {
    "tiny MLP": Case(_tiny, _batch(8, 10), 60, 150, 1.05, settling=64),
    "tiny MLP, cleared by hand": Case(
        *(_tiny, _batch(8, 10), 60, 150, 1.08), by_hand=True, settling=64
    ),
    "5 M MLP": Case(_perceptron, _batch(16, 1000), 2, 40),
    "10 M transformer": Case(_transformer, _batch(2, 16, 512), 2, 40),
    "small CNN": Case(_convolutions, _batch(32, 3, 32, 32), 2, 60),
}
