import torch
from torch.nn import functional as F

torch.manual_seed(0)
weight = torch.randn(4, 4, requires_grad=True)
bias = torch.zeros(4, requires_grad=True)
meta = torch.optim.Adam([weight, bias], lr=1e-2)

for episode in range(4):
    x, y = torch.randn(6, 4), torch.randn(6, 4)
    w, b = weight, bias
    for _ in range(3):
        inner = F.mse_loss(F.linear(x, w, b), y)
        gw, gb = torch.autograd.grad(inner, (w, b), create_graph=True)
        w = w - 0.1 * gw
        b = b - 0.1 * gb
    outer = F.mse_loss(F.linear(x, w, b), y)
    meta.zero_grad()
    outer.backward()
    meta.step()
print(outer.item())
