"""Sequence regression with a GRU."""
import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self, features: int, hidden: int) -> None:
        super().__init__()
        self.gru = nn.GRU(features, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, series: torch.Tensor) -> torch.Tensor:
        states, _ = self.gru(series)
        return self.out(states[:, -1])


def make_batches(count: int):
    for _ in range(count):
        series = torch.randn(4, 6, 3)
        yield series, series.mean(dim=(1, 2)).unsqueeze(1)


def train(epochs: int = 3) -> None:
    model = Forecaster(3, 8)
    opt = torch.optim.RMSprop(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        for series, target in make_batches(5):
            loss = nn.functional.smooth_l1_loss(model(series), target)
            loss.backward()
            opt.step()
            opt.zero_grad()
        opt.step()  # ZG301 lint watch
        print(epoch, round(loss.item(), 4))


if __name__ == "__main__":
    torch.manual_seed(1)
    train()
