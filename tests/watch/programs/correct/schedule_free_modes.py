import torch
from torch import nn
torch.manual_seed(2)
class ScheduleFreeSGD(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, beta=0.9):
        super().__init__(params, dict(lr=lr, beta=beta, k=0, training=True))
    @torch.no_grad()
    def swap(self, training):
        for group in self.param_groups:
            if group["training"] == training:
                continue
            weight = 1 - 1 / group["beta"] if not training else 1 - group["beta"]
            for p in group["params"]:
                if "z" in self.state[p]:
                    p.lerp_(self.state[p]["z"], weight)
            group["training"] = training
    def train(self):
        self.swap(True)
    def eval(self):
        self.swap(False)
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            c = 1 / (group["k"] + 1)
            for p in group["params"]:
                if p.grad is None:
                    continue
                z = self.state[p].setdefault("z", p.clone())
                p.lerp_(z, c)
                p.add_(p.grad, alpha=group["lr"] * (group["beta"] * (1 - c) - 1))
                z.sub_(p.grad, alpha=group["lr"])
            group["k"] += 1
model = nn.Linear(6, 1)
opt = ScheduleFreeSGD(model.parameters())
x = torch.randn(64, 6); y = x.sum(1, keepdim=True)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=16)
for epoch in range(4):
    model.train(); opt.train()
    for xb, yb in loader:
        opt.zero_grad()
        (model(xb) - yb).square().mean().backward()
        opt.step()
    model.eval(); opt.eval()
    with torch.no_grad():
        print(epoch, (model(x) - y).square().mean().item() < 100)
