"""The step is compiled from a string, as templating libraries do: it has no source file."""

import torch
from torch import nn

torch.manual_seed(0)
TEMPLATE = """
def step(model, optimizer, inputs, targets):
    predicted = model(inputs)
    loss = {loss}(predicted, targets)
    (loss / {window}).backward()
    return loss.item()


def finish(optimizer):
    optimizer.step()
    optimizer.zero_grad()
"""
space = {"torch": torch, "nn": nn}
exec(TEMPLATE.format(loss="nn.functional.smooth_l1_loss", window=2), space)
model = nn.Linear(6, 2)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
for epoch in range(12):
    for _ in range(2):
        space["step"](model, optimizer, torch.randn(10, 6), torch.randn(10, 2))
    space["finish"](optimizer)
print(model.weight.norm().item())
