from collections.abc import Iterable

import torch
from torch import nn


class OptimizersContainer:
    def __init__(self, parts: Iterable[nn.Module], lr: float) -> None:
        self.optimizers = [torch.optim.AdamW(part.parameters(), lr=lr) for part in parts]

    def step(self) -> None:
        for optimizer in self.optimizers:
            optimizer.step()

    def zero_grad(self) -> None:
        for optimizer in self.optimizers:
            optimizer.zero_grad()


def main() -> None:
    torch.manual_seed(4)
    stem, head = nn.Linear(5, 5), nn.Linear(5, 1)
    optimizers = OptimizersContainer([stem, head], lr=1e-2)
    for _ in range(6):
        x = torch.randn(10, 5)
        optimizers.zero_grad()
        loss = nn.functional.softplus(head(stem(x).relu())).mean()
        loss.backward()
        optimizers.step()
    print(f"{loss.item():.4f}")


main()
