import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--clear-late", action="store_true")
args = parser.parse_args()

torch.manual_seed(0)
model = nn.Linear(5, 5)
optimizer = torch.optim.Adamax(model.parameters())

for _ in range(5):
    if not args.clear_late:
        optimizer.zero_grad()
    x = torch.randn(10, 5)
    loss = (model(x) - x).abs().mean()
    loss.backward()
    optimizer.step()
    if args.clear_late:
        optimizer.zero_grad()
print(round(loss.item(), 2))
