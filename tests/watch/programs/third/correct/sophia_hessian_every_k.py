import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(41)


class SophiaG(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.965, 0.99), rho=0.04):
        super().__init__(params, {"lr": lr, "betas": betas, "rho": rho})

    @torch.no_grad()
    def update_hessian(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                self._init(p)
                self.state[p]["hessian"].mul_(group["betas"][1]).addcmul_(p.grad, p.grad, value=1 - group["betas"][1])

    def _init(self, p):
        if not self.state[p]:
            self.state[p]["exp_avg"], self.state[p]["hessian"] = torch.zeros_like(p), torch.zeros_like(p)

    @torch.no_grad()
    def step(self, closure=None, bs=8):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                self._init(p)
                m, h = self.state[p]["exp_avg"], self.state[p]["hessian"]
                m.mul_(group["betas"][0]).add_(p.grad, alpha=1 - group["betas"][0])
                ratio = (m.abs() / (group["rho"] * bs * h + 1e-15)).clamp(None, 1)
                p.addcmul_(m.sign(), ratio, value=-group["lr"])


model = nn.Linear(6, 4)
optimizer = SophiaG(model.parameters())
loader = DataLoader(TensorDataset(torch.randn(48, 6), torch.randint(0, 4, (48,))), batch_size=8)
k, iter_num = 5, -1
for epoch in range(3):
    for X, Y in loader:
        iter_num += 1
        loss = F.cross_entropy(model(X), Y)
        loss.backward()
        optimizer.step(bs=8)
        optimizer.zero_grad(set_to_none=True)
        if iter_num % k == k - 1:
            logits = model(X)
            sampled = torch.distributions.Categorical(logits=logits).sample()
            loss_sampled = F.cross_entropy(logits, sampled)
            loss_sampled.backward()
            optimizer.update_hessian()
            optimizer.zero_grad(set_to_none=True)
            model.zero_grad()
