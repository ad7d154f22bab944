"""What is trained in the benchmarks: a model, a fused AdamW and one batch that comes again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Task:
    """A model with its optimizer and data; every call of the maker begins at the same seed."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    inputs: torch.Tensor
    targets: torch.Tensor

    def loss(self) -> torch.Tensor:
        """Run the forward."""
        return nn.functional.mse_loss(self.model(self.inputs), self.targets)


def tiny_mlp() -> Task:
    """Make the hardest case for anything that costs time of its own: 10-32-2, batch 8."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
    return _task(model, torch.randn(8, 10), torch.randn(8, 2))


def large_mlp() -> Task:
    """Make an MLP of 5 M parameters."""
    torch.manual_seed(0)
    wide = [layer for _ in range(4) for layer in (nn.Linear(1120, 1120), nn.ReLU())]
    return _task(nn.Sequential(*wide, nn.Linear(1120, 2)), torch.randn(8, 1120), torch.randn(8, 2))


def transformer() -> Task:
    """Make a transformer of 10 M parameters, without dropout."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(512, 8, 1024, dropout=0.0, batch_first=True)
    model = nn.TransformerEncoder(layer, 5, enable_nested_tensor=False)
    return _task(model, torch.randn(4, 16, 512), torch.randn(4, 16, 512))


def many_small() -> Task:
    """Make 250 layers of 16 x 16, where every pass over the tensors costs."""
    torch.manual_seed(0)
    model = nn.Sequential(*(nn.Linear(16, 16) for _ in range(250)))
    return _task(model, torch.randn(4, 16), torch.randn(4, 16))


def _task(model: nn.Module, inputs: torch.Tensor, targets: torch.Tensor) -> Task:
    return Task(model, torch.optim.AdamW(model.parameters(), fused=True), inputs, targets)


MAKERS: dict[str, Callable[[], Task]] = {
    "tiny MLP": tiny_mlp,
    "5 M MLP": large_mlp,
    "10 M transformer": transformer,
    "500 small tensors": many_small,
}
