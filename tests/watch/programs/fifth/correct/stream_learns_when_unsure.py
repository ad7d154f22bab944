"""Online: single samples, most of them only predicted; a learned one is a step of its own."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 12), nn.Tanh(), nn.Linear(12, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
learned = 0
for number in range(150):
    sample = torch.randn(1, 3)
    label = (sample.sum(1) > 0).long()
    logits = model(sample)
    if logits.softmax(1).max() < 0.8:
        loss = nn.functional.cross_entropy(logits, label)
        loss.backward()
        optimizer.step()
        for parameter in model.parameters():
            parameter.grad = None
        learned += 1
print(learned)
