"""Quantisation-aware training with learned step sizes and observers that freeze half way."""

import torch
from torch import nn


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class FakeQuant(nn.Module):
    def __init__(self, bits=4):
        super().__init__()
        self.q = 2 ** (bits - 1) - 1
        self.step = nn.Parameter(torch.tensor(0.1))
        self.register_buffer("observed", torch.zeros(()))
        self.observing = True

    def forward(self, x):
        if self.training and self.observing:
            with torch.no_grad():
                self.observed.lerp_(x.abs().max() / self.q, 0.1)
        s = self.step.abs() + 1e-4
        return Round.apply((x / s).clamp(-self.q, self.q)) * s


class QLinear(nn.Linear):
    def __init__(self, i, o):
        super().__init__(i, o)
        self.weight_quant, self.input_quant = FakeQuant(), FakeQuant()

    def forward(self, x):
        return nn.functional.linear(self.input_quant(x), self.weight_quant(self.weight), self.bias)


torch.manual_seed(66)
model = nn.Sequential(QLinear(6, 16), nn.ReLU(), QLinear(16, 3))
steps = [p for n, p in model.named_parameters() if n.endswith("step")]
others = [p for n, p in model.named_parameters() if not n.endswith("step")]
optimizer = torch.optim.SGD(
    [{"params": others}, {"params": steps, "lr": 1e-3, "momentum": 0.0}], lr=0.05, momentum=0.9
)
for it in range(20):
    if it == 10:
        for m in model.modules():
            if isinstance(m, FakeQuant):
                m.observing = False
    x = torch.randn(16, 6)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), x[:, :3].argmax(1)).backward()
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
