import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--static-scale", action="store_true")
args = parser.parse_args()

torch.manual_seed(0)
model = nn.Linear(10, 10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=128.0)

for step in range(6):
    x = torch.randn(4, 10)
    optimizer.zero_grad()
    loss = nn.functional.smooth_l1_loss(model(x), x)
    scaler.scale(loss).backward()
    scaler.step(optimizer)  # ZG405 lint
    if not args.static_scale:
        scaler.update()
print(loss.item())
