import torch
from torch import nn


class SignSGD(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                updated = p.detach().clone()
                updated.add_(p.grad.sign(), alpha=-group["lr"])


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
optimizer = SignSGD(net.parameters(), lr=0.01)
data = [(torch.randn(5, 4), torch.randn(5, 1)) for _ in range(4)]
for epoch in range(3):
    for x, y in data:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()  # ZG308 watch
    print(epoch, loss.item())
