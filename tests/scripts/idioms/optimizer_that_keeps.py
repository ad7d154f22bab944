import torch
from torch import nn


class Summing(torch.optim.SGD):
    def take(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                state["sum"] = state.get("sum", 0) + p.grad
                p.grad = None

    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.grad = self.state[p].pop("sum")
        return super().step(closure)


class Applying(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    def take(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                state["sum"] = state.get("sum", 0) + p.grad
                p.grad = None

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.sub_(group["lr"] * self.state[p].pop("sum"))


def train(make, accumulate=4):
    torch.manual_seed(0)
    model = nn.Linear(5, 1)
    optimizer = make(model.parameters(), lr=0.1)
    for i in range(24):
        x = torch.randn(4, 5)
        loss = model(x).square().mean() / accumulate
        loss.backward()
        optimizer.take()
        if (i + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
    return model.weight.norm().item()


print(round(train(Summing), 4), round(train(Applying), 4))
