import torch
from torch import nn
from torch.optim import Optimizer
class SignDescent(Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, dict(lr=lr))
    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.add_(p.grad.sign(), alpha=-group["lr"])
                p.grad = None
torch.manual_seed(2)
model = nn.Linear(4, 1)
optimizer = SignDescent(model.parameters(), lr=0.01)
for _ in range(20):
    x = torch.randn(8, 4)
    loss = (model(x) - x.sum(1, True)).abs().mean()
    loss.backward()
    optimizer.step()
