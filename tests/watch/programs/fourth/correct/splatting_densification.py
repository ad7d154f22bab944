"""One-dimensional Gaussian splatting: points are cloned by their gradients and pruned by opacity, the optimizer is rebuilt in place."""

import torch
from torch import nn


class Splats:
    def __init__(self, n=12):
        self.centre = nn.Parameter(torch.rand(n))
        self.log_scale = nn.Parameter(torch.full((n,), -2.5))
        self.opacity = nn.Parameter(torch.zeros(n))
        names = ("centre", "log_scale", "opacity")
        self.optimizer = torch.optim.Adam(
            [
                {"params": [getattr(self, k)], "lr": lr, "name": k}
                for k, lr in zip(names, (5e-3, 1e-2, 2e-2))
            ]
        )
        self.grad_sum = torch.zeros(n)

    def render(self, x):
        weight = torch.exp(-0.5 * ((x[:, None] - self.centre) / self.log_scale.exp()) ** 2)
        return (weight * self.opacity.sigmoid()).sum(1)

    def _replace(self, change, extend_state):
        for group in self.optimizer.param_groups:
            old = group["params"][0]
            state = self.optimizer.state.pop(old, None)
            new = nn.Parameter(change(group["name"], old.detach()))
            if state is not None:
                for key in ("exp_avg", "exp_avg_sq"):
                    state[key] = extend_state(state[key])
                self.optimizer.state[new] = state
            group["params"][0] = new
            setattr(self, group["name"], new)

    def densify(self, threshold):
        mask = self.grad_sum > threshold
        jitter = 0.02 * torch.randn(int(mask.sum()))
        self._replace(
            lambda name, p: torch.cat([p, p[mask] + (jitter if name == "centre" else 0.0)]),
            lambda s: torch.cat([s, torch.zeros(int(mask.sum()))]),
        )
        keep = self.opacity.detach().sigmoid() > 0.05
        self._replace(lambda name, p: p[keep], lambda s: s[keep])
        self.grad_sum = torch.zeros(len(self.centre))


torch.manual_seed(44)
splats, grid = Splats(), torch.linspace(0, 1, 60)
target = (grid * 12).sin().abs()
for iteration in range(1, 61):
    loss = (splats.render(grid) - target).abs().mean()
    loss.backward()
    with torch.no_grad():
        splats.grad_sum += splats.centre.grad.abs()
        if iteration % 15 == 0 and iteration < 50:
            splats.densify(0.05)
        splats.optimizer.step()
        splats.optimizer.zero_grad(set_to_none=True)
print(len(splats.centre), "digest", splats.centre.double().sum().item().hex())
