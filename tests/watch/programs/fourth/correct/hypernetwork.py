"""A hypernetwork makes the weights of a target network for each task; only the hypernetwork has parameters."""

import torch
from torch import nn
from torch.nn import functional as F


class Hyper(nn.Module):
    def __init__(self, tasks=4, shapes=((8, 3), (8,), (1, 8), (1,))):
        super().__init__()
        self.shapes = shapes
        self.codes = nn.Embedding(tasks, 6)
        self.heads = nn.ModuleList(nn.Linear(16, torch.Size(s).numel()) for s in shapes)
        self.body = nn.Sequential(nn.Linear(6, 16), nn.ReLU())

    def forward(self, task):
        h = self.body(self.codes(task))
        return [head(h).view(s) * 0.3 for head, s in zip(self.heads, self.shapes)]


def target_net(x, weights):
    w1, b1, w2, b2 = weights
    return F.linear(torch.tanh(F.linear(x, w1, b1)), w2, b2)


torch.manual_seed(75)
hyper = Hyper()
optimizer = torch.optim.Adam(hyper.parameters(), lr=5e-3)
truth = torch.randn(4, 3, 1)
for step in range(20):
    optimizer.zero_grad()
    total = 0.0
    for task in range(4):
        x = torch.randn(10, 3)
        loss = F.mse_loss(target_net(x, hyper(torch.tensor(task))), x @ truth[task])
        (loss / 4).backward()
        total += loss.item()
    optimizer.step()
print("digest", sum(p.double().sum().item() for p in hyper.parameters()).hex())
