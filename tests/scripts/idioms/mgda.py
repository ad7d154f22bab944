"""MGDA: a backward for each task gives the weights, a weighted backward gives the step."""
import torch
from torch import nn

torch.manual_seed(0)
rep = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
tasks = {"L": nn.Linear(16, 2), "R": nn.Linear(16, 3)}
params = list(rep.parameters()) + [p for head in tasks.values() for p in head.parameters()]
optimizer = torch.optim.SGD(params, lr=0.05)


def min_norm_weight(g1, g2):
    diff = g1 - g2
    return torch.clamp(-(g2 @ diff) / (diff @ diff + 1e-12), 0, 1).item()


for step in range(8):
    x = torch.randn(12, 8)
    labels = {"L": torch.randint(0, 2, (12,)), "R": torch.randint(0, 3, (12,))}

    grads = {}
    for t in tasks:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(tasks[t](rep(x)), labels[t])
        loss.backward()
        grads[t] = torch.cat([p.grad.data.clone().flatten() for p in rep.parameters()])

    alpha = min_norm_weight(grads["L"], grads["R"])
    scale = {"L": alpha, "R": 1 - alpha}

    optimizer.zero_grad()
    total = 0
    for t in tasks:
        total = total + scale[t] * nn.functional.cross_entropy(tasks[t](rep(x)), labels[t])
    total.backward()
    optimizer.step()
