"""A small GPT and the text it reads: what both trainings of this folder share."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

TEXT = (
    "a gradient is an account. backward deposits, a step spends, zeroing clears. "
    "what lies between two steps is a window, and a window may hold many deposits. "
    "close the books before the next day: what was spent must not be spent again. "
) * 8
LETTERS = sorted(set(TEXT))


@dataclass(frozen=True, slots=True)
class Config:
    """How large the model is, how it is trained, and for how long."""

    block: int = 32
    """Characters that the model sees at once."""

    width: int = 32
    heads: int = 2
    layers: int = 2

    batch: int = 8
    window: int = 4
    """Micro-batches that one step spends."""

    steps: int = 12
    clip: float = 1.0
    rate: float = 3e-3
    least_rate: float = 3e-4
    warmup: int = 2
    precision: str = "bf16"


class GPT(nn.Module):
    """Decoder blocks between two tables of letters."""

    mask: Tensor

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.letters = nn.Embedding(len(LETTERS), config.width)
        self.places = nn.Embedding(config.block, config.width)
        block = nn.TransformerEncoderLayer(
            config.width, config.heads, 4 * config.width, 0.0, batch_first=True, norm_first=True
        )
        self.blocks = nn.TransformerEncoder(block, config.layers, enable_nested_tensor=False)
        self.head = nn.Linear(config.width, len(LETTERS))
        mask = nn.Transformer.generate_square_subsequent_mask(config.block)
        self.register_buffer("mask", mask)

    def forward(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """Return the mean surprise at the letters that follow."""
        places = torch.arange(inputs.shape[1])
        hidden = self.letters(inputs) + self.places(places)
        scores = self.head(self.blocks(hidden, mask=self.mask, is_causal=True))
        return nn.functional.cross_entropy(scores.float().flatten(0, 1), targets.flatten())


class Pieces:
    """Endless micro-batches cut from the text, at places that a generator of its own draws."""

    def __init__(self, config: Config, seed: int) -> None:
        self.config = config
        self.codes = torch.tensor([LETTERS.index(letter) for letter in TEXT])
        self.generator = torch.Generator().manual_seed(seed)

    def next(self) -> tuple[Tensor, Tensor]:
        """Cut a micro-batch: letters, and those that follow."""
        last = len(self.codes) - self.config.block - 1
        starts = torch.randint(last, (self.config.batch,), generator=self.generator)
        rows = starts[:, None] + torch.arange(self.config.block)
        return self.codes[rows], self.codes[rows + 1]


def factor(step: int, config: Config) -> float:
    """Return the share of the full learning rate: a warm-up, then half a cosine."""
    if step < config.warmup:
        return (step + 1) / (config.warmup + 1)
    done = (step - config.warmup) / max(1, config.steps - config.warmup)
    least = config.least_rate / config.rate
    return least + (1 - least) * 0.5 * (1 + math.cos(math.pi * min(1.0, done)))


def adamw(model: nn.Module, config: Config) -> torch.optim.Optimizer:
    """Make the optimizer: matrices decay, vectors do not."""
    matrices = [one for one in model.parameters() if one.dim() >= 2]
    vectors = [one for one in model.parameters() if one.dim() < 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=config.rate, betas=(0.9, 0.95))
