import torch
from torch import nn


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 12), nn.ReLU())
        self.head = nn.Linear(12, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x))


def train(model: Model, steps: int) -> float:
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    head_optimizer = torch.optim.SGD(model.head.parameters(), lr=1e-2)  # ZG307 lint watch
    for _ in range(steps):
        x, y = torch.randn(10, 6), torch.randint(0, 2, (10,))
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        head_optimizer.step()
    return loss.item()


torch.manual_seed(0)
print(train(Model(), 8))
