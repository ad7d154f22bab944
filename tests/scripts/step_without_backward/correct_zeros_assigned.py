import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(91)


class A2Grad(torch.optim.Optimizer):
    def __init__(self, params, beta=10.0, lips=10.0):
        super().__init__(params, {"beta": beta, "lips": lips})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state.update(step=0, avg=torch.zeros_like(p), x=p.clone(), v=torch.zeros(()))
                state["step"] += 1
                delta = p.grad - state["avg"]
                state["avg"].add_(delta / state["step"])
                state["v"] += delta.pow(2).sum()
                alpha = 2.0 / (state["step"] + 2)
                state["x"].add_(p.grad, alpha=-1.0 / (2 * group["lips"] + group["beta"] * float(state["v"].sqrt())))
                p.mul_(1 - alpha).add_(state["x"], alpha=alpha)


model = nn.Linear(6, 3)
opt = A2Grad(model.parameters())
for step in range(4):
    opt.zero_grad()
    F.cross_entropy(model(torch.randn(8, 6)), torch.randint(0, 3, (8,))).backward()
    opt.step()
before = [p.detach().clone() for p in model.parameters()]
for p in model.parameters():
    p.grad = torch.zeros_like(p)
opt.step()
print(all(torch.isfinite(p).all() for p in model.parameters()))
