"""Two heads over one trunk, one backward for each loss: their deposits add up before the step."""
# mypy: allow-untyped-calls

from __future__ import annotations

import torch
from side_by_side import compare
from torch import nn

import zerograd

Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


class TwoHeads(nn.Module):
    """Predicts a value and a class from the same features."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk, self.value, self.kind = nn.Linear(6, 16), nn.Linear(16, 1), nn.Linear(16, 3)

    def losses(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the loss of each head; both graphs share the trunk's."""
        inputs, values, kinds = batch
        features = self.trunk(inputs).tanh()
        regression = nn.functional.mse_loss(self.value(features), values)
        return regression, 0.1 * nn.functional.cross_entropy(self.kind(features), kinds)


def problem() -> tuple[TwoHeads, torch.optim.Optimizer, list[Batch]]:
    model = TwoHeads()
    loader = [(torch.randn(8, 6), torch.randn(8, 1), torch.randint(0, 3, (8,))) for _ in range(20)]
    return model, torch.optim.AdamW(model.parameters(), lr=0.01), loader


def plain() -> list[torch.Tensor]:
    model, optimizer, loader = problem()
    for batch in loader:
        optimizer.zero_grad()
        regression, classification = model.losses(batch)
        regression.backward(retain_graph=True)
        classification.backward()
        optimizer.step()
    return list(model.parameters())


def engine() -> list[torch.Tensor]:
    model, optimizer, loader = problem()
    gradients = zerograd.Gradients(optimizer)
    for batch in gradients.batches(loader):
        regression, classification = model.losses(batch)
        with gradients.micro_batch():
            gradients.backward(regression, retain_graph=True)
            gradients.backward(classification)
    return list(model.parameters())


if __name__ == "__main__":
    compare(plain, engine)
