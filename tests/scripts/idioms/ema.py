"""An exponential moving average of the weights, by hand and with torch's AveragedModel."""
import copy

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn


class EMA:
    def __init__(self, model, decay=0.99):
        self.decay = decay
        self.shadow = copy.deepcopy(model).eval()
        for p in self.shadow.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.mul_(self.decay).add_(p, alpha=1 - self.decay)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
ema = EMA(model)
averaged = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

for _ in range(10):
    x = torch.randn(16, 6)
    loss = nn.functional.mse_loss(model(x), x.max(1, keepdim=True).values)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ema.update(model)
    averaged.update_parameters(model)

backup = [p.detach().clone() for p in model.parameters()]
with torch.no_grad():
    for p, s in zip(model.parameters(), ema.shadow.parameters()):
        p.copy_(s)
    print(f"{nn.functional.mse_loss(model(x), x.max(1, keepdim=True).values).item():.3f}")
    for p, b in zip(model.parameters(), backup):
        p.copy_(b)
