from typing import Iterator

import torch
from torch import Tensor, nn


def batches(n: int) -> Iterator[tuple[Tensor, Tensor]]:
    for _ in range(n):
        x = torch.randn(4, 1, 6, 6)
        yield x, (x.mean(dim=(1, 2, 3)) > 0).long()


class Runner:
    def __init__(self) -> None:
        self.model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32, 2))
        self.optimizer = torch.optim.AdamW(self.model.parameters())

    def update(self) -> None:
        self.optimizer.step()
        self.optimizer.zero_grad()

    def run(self) -> float:
        for x, y in batches(6):
            loss = nn.functional.cross_entropy(self.model(x), y)
            loss.backward()
            self.update()
        return loss.item()


torch.manual_seed(0)
print(round(Runner().run(), 3))
