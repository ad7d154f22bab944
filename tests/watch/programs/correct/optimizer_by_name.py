import argparse
import torch
from torch import nn
parser = argparse.ArgumentParser()
parser.add_argument("--opt", default="adamw")
args = parser.parse_args([])
torch.manual_seed(44)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizers = {
    "sgd": torch.optim.SGD(model.parameters(), lr=0.1),
    "adam": torch.optim.Adam(model.parameters(), lr=1e-3),
    "adamw": torch.optim.AdamW(model.parameters(), lr=1e-3),
}
optimizer = optimizers[args.opt]
print(sum(p.numel() for p in model.parameters()))
for i in range(10):
    x = torch.randn(8, 4)
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
