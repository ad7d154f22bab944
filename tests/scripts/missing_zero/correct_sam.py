import torch
from torch import nn


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base_optimizer, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base_optimizer = base_optimizer(self.param_groups, **kwargs)
        self.param_groups = self.base_optimizer.param_groups

    @torch.no_grad()
    def first_step(self, zero_grad=False):
        norm = torch.norm(
            torch.stack([p.grad.norm() for g in self.param_groups for p in g["params"]])
        )
        for group in self.param_groups:
            for p in group["params"]:
                e_w = p.grad * group["rho"] / (norm + 1e-12)
                p.add_(e_w)
                self.state[p]["e_w"] = e_w
        if zero_grad:
            self.zero_grad()

    @torch.no_grad()
    def second_step(self, zero_grad=False):
        for group in self.param_groups:
            for p in group["params"]:
                p.sub_(self.state[p]["e_w"])
        self.base_optimizer.step()
        if zero_grad:
            self.zero_grad()

    def step(self, closure=None):
        raise RuntimeError("use first_step and second_step")


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
optimizer = SAM(model.parameters(), torch.optim.SGD, lr=0.05)
criterion = nn.CrossEntropyLoss()

for _ in range(5):
    x, y = torch.randn(20, 6), torch.randint(0, 2, (20,))
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.first_step(zero_grad=True)
    criterion(model(x), y).backward()
    optimizer.second_step(zero_grad=True)
print(round(loss.item(), 3))
