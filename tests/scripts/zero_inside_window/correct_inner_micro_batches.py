import torch
from torch import nn


class MicroBatchTrainer:
    def __init__(self, module: nn.Module, chunks: int) -> None:
        self.module = module
        self.chunks = chunks
        self.optimizer = torch.optim.Adam(module.parameters())

    def step(self, x: torch.Tensor, y: torch.Tensor) -> float:
        self.optimizer.zero_grad()
        total = 0.0
        for cx, cy in zip(x.chunk(self.chunks), y.chunk(self.chunks)):
            loss = nn.functional.cross_entropy(self.module(cx), cy) / self.chunks
            loss.backward()
            total += loss.item()
        self.optimizer.step()
        return total


torch.manual_seed(0)
trainer = MicroBatchTrainer(nn.Linear(5, 3), chunks=4)
for _ in range(4):
    value = trainer.step(torch.randn(16, 5), torch.randint(0, 3, (16,)))
print(round(value, 3))
