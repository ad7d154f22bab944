"""Two optimizers for one loss: SparseAdam for the embedding, AdamW for the rest."""
import torch
from torch import nn


class Recommender(nn.Module):
    def __init__(self, items=50, dim=8):
        super().__init__()
        self.items = nn.Embedding(items, dim, sparse=True)
        self.mlp = nn.Sequential(nn.Linear(2 * dim, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, a, b):
        return self.mlp(torch.cat([self.items(a), self.items(b)], dim=1)).squeeze(1)


class MultiOptimizer:
    def __init__(self, *optimizers):
        self.optimizers = optimizers

    def zero_grad(self):
        for op in self.optimizers:
            op.zero_grad()

    def step(self):
        for op in self.optimizers:
            op.step()


torch.manual_seed(0)
model = Recommender()
opt = MultiOptimizer(torch.optim.SparseAdam(model.items.parameters(), lr=1e-2), torch.optim.AdamW(model.mlp.parameters()))
for _ in range(8):
    a, b = torch.randint(0, 50, (2, 16))
    loss = nn.functional.binary_cross_entropy_with_logits(model(a, b), (a > b).float())
    opt.zero_grad()
    loss.backward()
    opt.step()
