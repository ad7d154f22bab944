"""Optimizer in backward: each parameter steps and clears as soon as its gradient is complete."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer_dict = {p: torch.optim.Adam([p], lr=1e-3, foreach=False) for p in model.parameters()}


def optimizer_hook(parameter) -> None:
    optimizer_dict[parameter].step()
    optimizer_dict[parameter].zero_grad()


for p in model.parameters():
    p.register_post_accumulate_grad_hook(optimizer_hook)

for _ in range(8):
    x, y = torch.randn(8, 12), torch.randint(0, 4, (8,))
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
