"""One optimizer a parameter, stepped in a hook as soon as its gradient is whole."""

import torch
from torch import nn


class OptimizerInBackward:
    def __init__(self, model, make):
        self.optimizers = {p: make([p]) for p in model.parameters()}
        self.handles = [
            p.register_post_accumulate_grad_hook(self._hook) for p in model.parameters()
        ]

    def _hook(self, parameter):
        optimizer = self.optimizers[parameter]
        optimizer.step()
        optimizer.zero_grad()

    def set_lr(self, lr):
        for optimizer in self.optimizers.values():
            for group in optimizer.param_groups:
                group["lr"] = lr


torch.manual_seed(5)
model = nn.Sequential(nn.Linear(5, 20), nn.ReLU(), nn.Linear(20, 20), nn.ReLU(), nn.Linear(20, 2))
manager = OptimizerInBackward(model, lambda ps: torch.optim.AdamW(ps, lr=1e-2))
for step in range(25):
    manager.set_lr(1e-2 * (1 - step / 25))
    x = torch.randn(16, 5)
    y = (x[:, 0] > 0).long()
    nn.functional.cross_entropy(model(x), y).backward()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
