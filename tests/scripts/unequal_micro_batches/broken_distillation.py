"""A student on a teacher's chances: each micro-batch is a mean over its own tokens."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
ACCUMULATE, TEMPERATURE = 4, 2.0
student, teacher = nn.Linear(10, 25), nn.Linear(10, 25)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)


def batches(count):
    for number in range(count):
        length = 2 if number % 2 else 30
        yield torch.randn(2, 32, 10), (torch.arange(32) < length).expand(2, 32)


def divergence(inputs, mask):
    with torch.no_grad():
        target = (teacher(inputs) / TEMPERATURE).softmax(-1)
    own = (student(inputs) / TEMPERATURE).log_softmax(-1)
    return functional.kl_div(own, target, reduction="none").sum(-1) * mask


for i, (inputs, mask) in enumerate(batches(16)):
    loss = divergence(inputs, mask).sum() / mask.sum().clamp(min=1)
    (loss / ACCUMULATE).backward()  # ZG208 lint watch
    if (i + 1) % ACCUMULATE == 0:
        optimizer.step()
        optimizer.zero_grad()
