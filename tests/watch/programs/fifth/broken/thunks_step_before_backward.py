"""Forward, backward and step are queued as functions and run later, in order."""

from collections import deque

import torch
from torch import nn

torch.manual_seed(0)
work = deque()
model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = {}


def forward(number, inputs):
    losses[number] = model(inputs).logsumexp(1).mean()


for number in range(20):
    inputs = torch.randn(6, 4)
    work.append(lambda number=number, inputs=inputs: forward(number, inputs))
    work.append(lambda number=number: losses.pop(number).backward())
    work.append(optimizer.zero_grad)
    work.append(optimizer.step)

while work:
    work.popleft()()  # ZG102 watch
print(model[0].weight.sum().item())
