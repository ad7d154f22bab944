"""Losses of different networks in a dict, weighted, deposited one after the other."""
import torch
from torch import nn

torch.manual_seed(0)
nets = nn.ModuleDict({"density": nn.Linear(3, 1), "colour": nn.Linear(3, 3)})
weights = {"density": 1.0, "colour": 0.5}
optimizer = torch.optim.Adam(nets.parameters(), lr=1e-2)

for step in range(8):
    x = torch.rand(32, 3)
    losses = {
        "density": nn.functional.mse_loss(nets["density"](x), x.norm(dim=1, keepdim=True)),
        "colour": nn.functional.l1_loss(nets["colour"](x), x.flip(1)),
    }
    optimizer.zero_grad()
    for i, (name, loss) in enumerate(losses.items()):
        (weights[name] * loss).backward(retain_graph=i < len(losses) - 1)
    optimizer.step()
