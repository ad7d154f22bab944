import argparse

import torch
from torch import nn

from factory import build_optimizer

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args()

torch.manual_seed(0)
model = nn.Bilinear(3, 3, 2)
optimizer = build_optimizer(model, args.lr)
left, right, target = torch.randn(20, 3), torch.randn(20, 3), torch.randn(20, 2)

for epoch in range(args.epochs):
    model.zero_grad()
    loss = nn.functional.huber_loss(model(left, right), target)
    loss.backward()
    print(f"epoch {epoch} lr {optimizer.param_groups[0]['lr']} loss {loss.item():.4f}")
