import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--optimizer", default="Adam")
parser.add_argument("--lr", type=float, default=1e-3)
args = parser.parse_args([])

torch.manual_seed(0)
model = nn.LSTM(4, 8)
optimizer = getattr(torch.optim, args.optimizer)(model.parameters(), lr=args.lr)  # ZG702 watch
for _ in range(4):
    out, _ = model(torch.randn(6, 2, 4))
    optimizer.zero_grad()
    out.square().mean().backward()
    optimizer.step()
