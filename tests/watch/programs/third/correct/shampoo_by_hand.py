import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(40)


class Shampoo(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, eps=1e-4, every=4):
        super().__init__(params, {"lr": lr, "eps": eps, "every": every})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                g = p.grad
                state = self.state[p]
                if not state:
                    state["step"] = 0
                    state["pre"] = [group["eps"] * torch.eye(n) for n in g.shape]
                    state["inv"] = [torch.eye(n) for n in g.shape]
                state["step"] += 1
                for dim, n in enumerate(g.shape):
                    flat = g.transpose(0, dim).reshape(n, -1)
                    state["pre"][dim].addmm_(flat, flat.T)
                    if state["step"] % group["every"] == 1:
                        e, v = torch.linalg.eigh(state["pre"][dim])
                        state["inv"][dim] = v @ torch.diag(e.clamp_min(1e-8) ** (-1 / (2 * g.dim()))) @ v.T
                    g = (state["inv"][dim] @ g.transpose(0, dim).reshape(n, -1)).reshape(g.transpose(0, dim).shape).transpose(0, dim)
                p.add_(g, alpha=-group["lr"])


model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
opt = Shampoo(model.parameters(), lr=1e-2)
for step in range(14):
    x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
    opt.zero_grad()
    F.cross_entropy(model(x), y).backward()
    opt.step()
