"""Text made by a small grammar, cut into batches of sentences of every length, and a model."""

from __future__ import annotations

import random
from itertools import count

import torch
from torch import Tensor, nn

WORDS = {
    "who": ("the cat", "a child", "my neighbour", "the old gradient", "everybody"),
    "does": ("clears", "forgets", "spends", "counts", "looks for"),
    "what": ("the window", "a deposit", "every third batch", "it", "what was left over"),
    "when": ("", " before dawn", " twice", " after the step and before the next backward"),
}
CHARACTERS = sorted({character for kind in WORDS.values() for word in kind for character in word})
START, END = len(CHARACTERS), len(CHARACTERS) + 1
IGNORED = -100
"""A target that counts for nothing: the padding behind a short sentence."""

Batch = tuple[Tensor, Tensor]
"""Characters, and for each the one that follows it."""


def sentences(number: int) -> list[list[int]]:
    """Make sentences, always the same ones, as codes of characters."""
    choice = random.Random(0).choice
    codes = dict(zip(CHARACTERS, count(), strict=False)) | {" ": CHARACTERS.index(" ")}
    made = []
    for _ in range(number):
        who, does, what, when = (choice(words) for words in WORDS.values())
        made.append([START, *(codes[c] for c in f"{who} {does} {what}{when}"), END])
    return made


def batches(number: int = 10, size: int = 8) -> list[Batch]:
    """Return micro-batches; the last one is short, and no two hold equally many characters."""
    made = sentences(number * size - 3)
    return [padded(made[at : at + size]) for at in range(0, len(made), size)]


def thinned(made: list[Batch]) -> list[Batch]:
    """Leave one sentence in every second micro-batch, as if the others had been too long."""
    return [
        (inputs[:1], targets[:1]) if number % 2 else (inputs, targets)
        for number, (inputs, targets) in enumerate(made)
    ]


def padded(group: list[list[int]]) -> Batch:
    """Make one batch of sentences of different lengths."""
    longest = max(map(len, group)) - 1
    inputs = torch.full((len(group), longest), END)
    targets = torch.full((len(group), longest), IGNORED)
    for row, sentence in enumerate(group):
        inputs[row, : len(sentence) - 1] = torch.tensor(sentence[:-1])
        targets[row, : len(sentence) - 1] = torch.tensor(sentence[1:])
    return inputs, targets


def counted(targets: Tensor) -> int:
    """Return how many characters of a batch count."""
    return int((targets != IGNORED).sum())


class Model(nn.Module):
    """A recurrent network that guesses the next character."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(END + 1, 16)
        self.memory = nn.GRU(16, 48, batch_first=True)
        self.head = nn.Linear(48, END + 1)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return a score for each character that may follow."""
        hidden, _ = self.memory(self.embedding(inputs))
        scores: Tensor = self.head(hidden)
        return scores


def surprise(scores: Tensor, targets: Tensor) -> Tensor:
    """Return the loss summed over all characters that count."""
    return nn.functional.cross_entropy(
        scores.flatten(0, 1).float(), targets.flatten(), ignore_index=IGNORED, reduction="sum"
    )
