import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


class GSAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, alpha=0.2):
        self.base, self.rho, self.alpha = base, rho, alpha
        super().__init__(params, {"rho": rho})
        self.param_groups = base.param_groups

    @torch.no_grad()
    def perturb(self):
        norm = torch.norm(torch.stack([p.grad.norm() for g in self.param_groups for p in g["params"]]))
        for g in self.param_groups:
            for p in g["params"]:
                self.state[p]["old_g"] = p.grad.clone()
                e = p.grad * self.rho / (norm + 1e-12)
                p.add_(e)
                self.state[p]["e"] = e

    @torch.no_grad()
    def decompose(self):
        inner = sum((self.state[p]["old_g"] * p.grad).sum() for g in self.param_groups for p in g["params"])
        norm = torch.norm(torch.stack([p.grad.norm() for g in self.param_groups for p in g["params"]]))
        for g in self.param_groups:
            for p in g["params"]:
                vertical = self.state[p]["old_g"] - inner / (norm**2 + 1e-12) * p.grad
                p.grad.sub_(self.alpha * vertical)

    @torch.no_grad()
    def restore(self):
        for g in self.param_groups:
            for p in g["params"]:
                p.sub_(self.state[p]["e"])

    def step(self, closure=None):
        with torch.enable_grad():
            loss = closure()
        self.perturb()
        with torch.enable_grad():
            closure()
        self.decompose()
        self.restore()
        self.base.step()
        return loss


torch.manual_seed(15)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
base = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(base, 15)
optimizer = GSAM(model.parameters(), base)
loader = DataLoader(TensorDataset(torch.randn(40, 6), torch.randint(0, 3, (40,))), batch_size=8)
for epoch in range(3):
    for x, y in loader:

        def closure():
            base.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            return loss

        optimizer.step(closure)
        scheduler.step()
        optimizer.rho = 0.05 * scheduler.get_last_lr()[0] / 0.1
