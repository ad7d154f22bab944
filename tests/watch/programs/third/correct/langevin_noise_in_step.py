import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(45)


class SGLD(torch.optim.SGD):
    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.grad.add_(torch.randn_like(p) * (2 / group["lr"]) ** 0.5 * 1e-3)
        return super().step(closure)


model = nn.Linear(6, 3)
opt = SGLD(model.parameters(), lr=1e-2)
samples = []
for step in range(30):
    x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
    opt.zero_grad()
    (F.cross_entropy(model(x), y) * 100 + sum(p.pow(2).sum() for p in model.parameters()) / 2).div(100).backward()
    opt.step()
    if step > 10 and step % 5 == 0:
        samples.append([p.detach().clone() for p in model.parameters()])
