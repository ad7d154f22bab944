"""Gradients of two models that share a layer are collected and compared right after each backward."""
import torch
from torch import nn


def gradients(model, x, y, optimizer, step):
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    found = [p.grad.clone() for p in model.parameters()]
    if step:
        optimizer.step()
    optimizer.zero_grad()
    return found


torch.manual_seed(0)
for scale in [0.1, 1.0]:
    layer = nn.Linear(5, 3)
    scaled = nn.Sequential(layer, nn.Softmax(1))
    optimizer = torch.optim.SGD(layer.parameters(), lr=scale)
    x, y = torch.randn(8, 5), torch.randint(3, (8,))
    plain = gradients(layer, x, y, optimizer, False)
    other = gradients(scaled, x, y, optimizer, True)
    print(all(a.shape == b.shape for a, b in zip(plain, other)))
