import torch
from torch import nn


class ClearingSGD(torch.optim.SGD):
    def step(self, closure=None):
        loss = super().step(closure)
        self.zero_grad()
        return loss


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 5), nn.ReLU(), nn.Linear(5, 1))
optimizer = ClearingSGD(model.parameters(), lr=0.02)

for _ in range(6):
    loss = model(torch.randn(8, 5)).pow(2).mean()
    loss.backward()
    optimizer.step()
print(round(loss.item(), 3))
