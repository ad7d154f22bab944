from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    lr: float = 0.01
    grad_clip: float = 1.0
    epochs: int = 2


class Trainer:
    def __init__(self, model: nn.Module, config: Config) -> None:
        self.model = model
        self.config = config
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr)
        self.scheduler = torch.optim.lr_scheduler.ExponentialLR(self.optimizer, 0.9)

    def train_step(self, x: torch.Tensor, y: torch.Tensor) -> float:
        self.optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        if self.config.grad_clip > 0:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.config.grad_clip)  # ZG401 lint watch
        return loss.item()

    def train(self, loader: DataLoader) -> None:
        for epoch in range(self.config.epochs):
            losses = [self.train_step(x, y) for x, y in loader]
            self.scheduler.step()
            print(epoch, sum(losses) / len(losses))


torch.manual_seed(0)
dataset = TensorDataset(torch.randn(24, 6), torch.randint(0, 3, (24,)))
Trainer(nn.Linear(6, 3), Config()).train(DataLoader(dataset, batch_size=6))
