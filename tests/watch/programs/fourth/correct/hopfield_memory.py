"""A modern Hopfield layer in a classifier, stored patterns are trained, a learned inverse temperature is clamped."""

import torch
from torch import nn


class Hopfield(nn.Module):
    def __init__(self, patterns=12, d=8, iterations=2):
        super().__init__()
        self.patterns = nn.Parameter(torch.randn(patterns, d))
        self.beta = nn.Parameter(torch.tensor(1.0))
        self.iterations = iterations

    def forward(self, query):
        for _ in range(self.iterations):
            query = (self.beta * query @ self.patterns.T).softmax(-1) @ self.patterns
        return query


torch.manual_seed(98)
layer, head = Hopfield(), nn.Linear(8, 3)
optimizer = torch.optim.Adam(
    [{"params": layer.parameters()}, {"params": head.parameters(), "lr": 1e-2}],
    lr=5e-3,
    foreach=True,
)
for _ in range(20):
    x = torch.randn(20, 8)
    optimizer.zero_grad()
    nn.functional.cross_entropy(head(layer(x)), x[:, :3].argmax(1)).backward()
    optimizer.step()
    with torch.no_grad():
        layer.beta.clamp_(0.1, 4.0)
print("digest", sum(p.double().sum().item() for p in layer.parameters()).hex())
