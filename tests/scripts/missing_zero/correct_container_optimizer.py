import torch
from torch import nn


class MultiOptimizer:
    def __init__(self, *optimizers):
        self.optimizers = optimizers

    def step(self):
        for optimizer in self.optimizers:
            optimizer.step()

    def zero_grad(self):
        for optimizer in self.optimizers:
            optimizer.zero_grad()


torch.manual_seed(0)
table = nn.Embedding(30, 6, sparse=True)
mlp = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 1))
optimizer = MultiOptimizer(
    torch.optim.SparseAdam(table.parameters(), lr=1e-2),
    torch.optim.Adam(mlp.parameters(), lr=1e-3),
)

for _ in range(5):
    ids = torch.randint(0, 30, (20,))
    clicks = torch.randint(0, 2, (20, 1)).float()
    optimizer.zero_grad()
    loss = nn.functional.binary_cross_entropy_with_logits(mlp(table(ids)), clicks)
    loss.backward()
    optimizer.step()
print(round(loss.item(), 2))
