from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    epochs: int = 2
    lr: float = 3e-3
    seed: int = 7


class SmallCNN(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, kernel_size=3)
        self.fc = nn.Linear(4 * 6 * 6, 2)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.conv(x))
        return self.fc(x.flatten(1))


class Trainer:
    def __init__(self, model: nn.Module, loader: DataLoader, config: Config) -> None:
        self.model = model
        self.loader = loader
        self.config = config
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr)
        self.history: list[float] = []

    def compute_loss(self, batch: tuple[Tensor, Tensor]) -> Tensor:
        images, labels = batch
        return F.cross_entropy(self.model(images), labels)

    def training_step(self, batch: tuple[Tensor, Tensor]) -> float:
        loss = self.compute_loss(batch)
        loss.backward()  # ZG101 lint watch
        self.optimizer.step()
        return loss.item()

    def fit(self) -> None:
        for _ in range(self.config.epochs):
            for batch in self.loader:
                self.history.append(self.training_step(batch))


def main() -> None:
    config = Config()
    torch.manual_seed(config.seed)
    data = TensorDataset(torch.randn(32, 1, 8, 8), torch.randint(0, 2, (32,)))
    trainer = Trainer(SmallCNN(), DataLoader(data, batch_size=8), config)
    trainer.fit()
    print(len(trainer.history), "steps")


if __name__ == "__main__":
    main()
