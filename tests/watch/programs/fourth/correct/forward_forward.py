"""Forward-forward: each layer has its own optimizer and its own local loss of positive and negative data."""

import torch
from torch import nn


class FFLayer(nn.Linear):
    def __init__(self, i, o):
        super().__init__(i, o)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=3e-2)
        self.threshold = 2.0

    def forward(self, x):
        direction = x / (x.norm(2, 1, keepdim=True) + 1e-4)
        return torch.relu(nn.functional.linear(direction, self.weight, self.bias))

    def train_on(self, positive, negative, epochs=4):
        for _ in range(epochs):
            good = self.forward(positive).pow(2).mean(1)
            bad = self.forward(negative).pow(2).mean(1)
            loss = nn.functional.softplus(
                torch.cat([self.threshold - good, bad - self.threshold])
            ).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return self.forward(positive).detach(), self.forward(negative).detach()


torch.manual_seed(47)
layers = [FFLayer(8, 16), FFLayer(16, 16), FFLayer(16, 16)]
for _ in range(4):
    pos = torch.randn(20, 8).abs()
    neg = torch.randn(20, 8)
    for layer in layers:
        pos, neg = layer.train_on(pos, neg)
print("digest", sum(p.double().sum().item() for layer in layers for p in layer.parameters()).hex())
