"""Activation checkpointing, the reentrant kind: a backward runs inside the backward."""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm, self.ff = nn.LayerNorm(dim), nn.Linear(dim, dim)

    def forward(self, x):
        return x + torch.tanh(self.ff(self.norm(x)))


class Net(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.embed = nn.Linear(4, dim)
        self.blocks = nn.ModuleList(Block(dim) for _ in range(2))
        self.tail = nn.Sequential(*(Block(dim) for _ in range(2)))
        self.head = nn.Linear(dim, 1)

    def forward(self, x):
        x = self.embed(x)
        for block in [*self.blocks, self.blocks[0]]:
            x = checkpoint(block, x, use_reentrant=True)
        x = checkpoint_sequential(self.tail, 2, x, use_reentrant=True)
        return self.head(x)


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(6):
    x = torch.randn(8, 4)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
