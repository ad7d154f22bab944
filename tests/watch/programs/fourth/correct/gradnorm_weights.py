"""GradNorm: task weights follow the gradients' norms on the shared layer, with their own optimizer."""

import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 16))
        self.heads = nn.ModuleList(nn.Linear(16, 1) for _ in range(3))

    def losses(self, x):
        h = self.shared(x).relu()
        targets = (x[:, :1], 10 * x[:, 1:2], x.sum(1, keepdim=True))
        return torch.stack(
            [nn.functional.mse_loss(head(h), t) for head, t in zip(self.heads, targets)]
        )


torch.manual_seed(40)
model = MultiTask()
weights = nn.Parameter(torch.ones(3))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
weight_optimizer = torch.optim.Adam([weights], lr=2e-2)
initial = None
for step in range(15):
    losses = model.losses(torch.randn(32, 6))
    if initial is None:
        initial = losses.detach()
    optimizer.zero_grad()
    (weights.detach() * losses).sum().backward(retain_graph=True)
    last = model.shared[-1].weight
    norms = torch.stack(
        [
            torch.autograd.grad(w * l, last, create_graph=True)[0].norm()
            for w, l in zip(weights, losses)
        ]
    )
    ratio = (losses.detach() / initial) / (losses.detach() / initial).mean()
    target = (norms.mean() * ratio.pow(1.5)).detach()
    weight_optimizer.zero_grad()
    weights.grad = torch.autograd.grad((norms - target).abs().sum(), weights)[0]
    weight_optimizer.step()
    optimizer.step()
    with torch.no_grad():
        weights.mul_(3 / weights.sum())
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
