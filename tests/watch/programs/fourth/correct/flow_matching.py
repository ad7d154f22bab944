"""Rectified flow with the logit-normal time density, compiled by aot_eager."""

import torch
from torch import nn


class Velocity(nn.Module):
    def __init__(self, d=3):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d + 1, 24), nn.SiLU(), nn.Linear(24, d))

    def forward(self, x, t):
        return self.net(torch.cat([x, t], 1))


def main():
    torch.manual_seed(19)
    model = Velocity()
    step_fn = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for _ in range(15):
        x1 = torch.randn(32, 3) + 2
        x0 = torch.randn_like(x1)
        t = torch.randn(32, 1).sigmoid()
        predicted = step_fn((1 - t) * x0 + t * x1, t)
        loss = nn.functional.mse_loss(predicted, x1 - x0)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())


if __name__ == "__main__":
    main()
