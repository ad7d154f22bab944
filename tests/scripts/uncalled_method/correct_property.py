import torch
from torch import nn


class Clock:
    def __init__(self):
        self.ticks = 0

    @property
    def step(self):
        self.ticks += 1
        return self.ticks


torch.manual_seed(0)
clock = Clock()
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.ones(2, 4)).mean().backward()
    optimizer.step()
    clock.step
print(clock.ticks)
