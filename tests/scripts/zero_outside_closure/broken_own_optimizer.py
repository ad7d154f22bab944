import torch
from torch import nn


class RepeatedDescent(torch.optim.Optimizer):
    def __init__(self, params, lr=0.01, evaluations=3):
        super().__init__(params, {"lr": lr})
        self.evaluations = evaluations

    def step(self, closure):
        for _ in range(self.evaluations):
            with torch.enable_grad():
                loss = closure()
            with torch.no_grad():
                for group in self.param_groups:
                    for p in group["params"]:
                        p.add_(p.grad, alpha=-group["lr"])
        return loss


torch.manual_seed(0)
model = nn.Linear(5, 1)
optimizer = RepeatedDescent(model.parameters())

for _ in range(4):
    x, y = torch.randn(12, 5), torch.randn(12, 1)

    def closure():
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()  # ZG106 lint watch
        return loss

    optimizer.zero_grad()
    value = optimizer.step(closure)
print(round(value.item(), 3))
