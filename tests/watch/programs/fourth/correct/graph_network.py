"""A graph convolution over the whole graph: the same input each epoch, masks for train and validation."""

import torch
from torch import nn


class GCN(nn.Module):
    def __init__(self, i, h, o):
        super().__init__()
        self.one, self.two = nn.Linear(i, h, bias=False), nn.Linear(h, o, bias=False)
        self.bias = nn.Parameter(torch.zeros(o))

    def forward(self, x, a):
        h = torch.dropout(torch.relu(a @ self.one(x)), 0.3, self.training)
        return torch.sparse.mm(a.to_sparse(), self.two(h)) + self.bias


torch.manual_seed(71)
n = 30
adjacency = ((torch.rand(n, n) < 0.1).float() + torch.eye(n)).clamp(max=1)
adjacency = torch.maximum(adjacency, adjacency.T)
degree = adjacency.sum(1).rsqrt()
adjacency = degree[:, None] * adjacency * degree
x, y = torch.randn(n, 8), torch.randint(0, 3, (n,))
train_mask = torch.arange(n) < 18
model = GCN(8, 16, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=5e-4)
best, wait = float("inf"), 0
for epoch in range(30):
    model.train()
    optimizer.zero_grad()
    out = model(x, adjacency)
    loss = nn.functional.cross_entropy(out[train_mask], y[train_mask])
    loss.backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        val = nn.functional.cross_entropy(model(x, adjacency)[~train_mask], y[~train_mask]).item()
    best, wait = (val, 0) if val < best else (best, wait + 1)
    if wait > 10:
        break
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
