"""Each parameter has its own optimizer, stepped by a hook at every third backward."""

import torch
from torch import nn

torch.manual_seed(0)
WINDOW = 3
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
optimizers = {p: torch.optim.SGD([p], lr=0.05, momentum=0.9) for p in model.parameters()}
counts = dict.fromkeys(model.parameters(), 0)


def spend(parameter):
    counts[parameter] += 1
    if counts[parameter] == WINDOW:
        counts[parameter] = 0
        optimizers[parameter].step()


for parameter in model.parameters():
    parameter.register_post_accumulate_grad_hook(spend)

for number in range(30):
    inputs = torch.randn(8, 6)
    loss = (model(inputs) - inputs.sum(1, keepdim=True)).square().mean() / WINDOW
    loss.backward()  # ZG101 watch
print(f"{loss.item() * WINDOW:.4f}")
