import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(70)


class RoundSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class LsqLinear(nn.Linear):
    def __init__(self, i, o):
        super().__init__(i, o)
        self.step = nn.Parameter(torch.tensor(2 * self.weight.abs().mean().item() / 7**0.5))

    def forward(self, x):
        scale = 1 / (self.weight.numel() * 7) ** 0.5
        s = (self.step - self.step * scale).detach() + self.step * scale
        w = RoundSTE.apply((self.weight / s).clamp(-8, 7)) * s
        return F.linear(x, w, self.bias)


model = nn.Sequential(LsqLinear(6, 12), nn.ReLU(), LsqLinear(12, 3))
weights = [p for n, p in model.named_parameters() if not n.endswith("step")]
steps = [p for n, p in model.named_parameters() if n.endswith("step")]
opt_w, opt_s = torch.optim.SGD(weights, 0.1), torch.optim.Adam(steps, 1e-3)
for it in range(14):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    loss = F.cross_entropy(model(x), y)
    for o in (opt_w, opt_s):
        o.zero_grad()
    loss.backward()
    for o in (opt_w, opt_s):
        o.step()
