import torch
from torch import nn


class Lookahead(torch.optim.Optimizer):
    def __init__(self, inner, k=3, alpha=0.5):
        self.inner, self.k, self.alpha = inner, k, alpha
        super().__init__([p for g in inner.param_groups for p in g["params"]], {})
        self.slow = [p.detach().clone() for g in self.param_groups for p in g["params"]]
        self.calls = 0

    def step(self, closure=None):
        result = self.inner.step(closure)
        self.calls += 1
        if self.calls % self.k == 0:
            fast = [p for g in self.param_groups for p in g["params"]]
            with torch.no_grad():
                for slow, p in zip(self.slow, fast):
                    slow.lerp_(p, self.alpha)
                    p.copy_(slow)
        return result


torch.manual_seed(0)
model = nn.Linear(5, 2)
optimizer = Lookahead(torch.optim.SGD(model.parameters(), lr=0.1))
for _ in range(9):
    x, y = torch.randn(6, 5), torch.randint(0, 2, (6,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
print(loss.item())
