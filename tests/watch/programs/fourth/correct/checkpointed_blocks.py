"""Activation checkpointing, reentrant in the first half and not in the second, with dropout."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Deep(nn.Module):
    def __init__(self, depth=4, width=16):
        super().__init__()
        self.stem = nn.Linear(6, width)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Dropout(0.1)) for _ in range(depth)
        )
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        x = self.stem(x)
        for i, block in enumerate(self.blocks):
            x = checkpoint(block, x, use_reentrant=i < len(self.blocks) // 2)
        return self.out(x)


def main():
    torch.manual_seed(4)
    model = Deep()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    for _ in range(20):
        x = torch.randn(12, 6)
        loss = (model(x) - x.prod(1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())


main()
