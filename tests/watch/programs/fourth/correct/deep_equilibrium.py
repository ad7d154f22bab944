"""A deep equilibrium model: a fixed point without graph, one step with it, and a backward hook that solves."""

import torch
from torch import nn


def solve(f, x0, tolerance=1e-5, limit=30):
    x = x0
    for _ in range(limit):
        new = f(x)
        if (new - x).norm() < tolerance * (1e-6 + new.norm()):
            return new
        x = new
    return x


class DEQ(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.w, self.u = nn.Linear(d, d), nn.Linear(6, d)
        with torch.no_grad():
            self.w.weight.mul_(0.5)
        self.out = nn.Linear(d, 2)

    def cell(self, z, x):
        return torch.tanh(self.w(z) + self.u(x))

    def forward(self, x):
        with torch.no_grad():
            z = solve(lambda z: self.cell(z, x), torch.zeros(len(x), 8))
        z = self.cell(z, x)
        if self.training:
            z0 = z.clone().detach().requires_grad_()
            f0 = self.cell(z0, x)

            def backward_hook(grad):
                return solve(
                    lambda y: torch.autograd.grad(f0, z0, y, retain_graph=True)[0] + grad, grad
                )

            z.register_hook(backward_hook)
        return self.out(z)


torch.manual_seed(68)
model = DEQ()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for _ in range(15):
    x = torch.randn(12, 6)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
