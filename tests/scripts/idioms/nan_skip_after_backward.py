"""Gradients that are not finite are thrown away, and the step with them."""
import torch
from torch import nn


def train(model, optimizer, batches):
    bad = 0
    for inputs, targets in batches:
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        grad_norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if torch.isnan(grad_norm) or torch.isinf(grad_norm):
            print("gradient norm is", grad_norm.item(), "- skipping")
            optimizer.zero_grad()
            bad += 1
            continue
        optimizer.step()
        optimizer.zero_grad()
    return bad


torch.manual_seed(0)
data = [(torch.randn(8, 5), torch.randn(8, 1)) for _ in range(15)]
data[4][1][0] = float("inf")
data[11][1][2] = float("nan")
net = nn.Sequential(nn.Linear(5, 10), nn.ELU(), nn.Linear(10, 1))
assert train(net, torch.optim.Adam(net.parameters(), lr=1e-3), data) == 2
