"""Skip-gram with sparse embeddings: SparseAdam for the tables, Adam for a dense projection."""

import torch
from torch import nn


class SkipGram(nn.Module):
    def __init__(self, n=40, d=8):
        super().__init__()
        self.centre, self.context = nn.Embedding(n, d, sparse=True), nn.Embedding(n, d, sparse=True)
        self.project = nn.Linear(d, d)

    def forward(self, word, positive, negative):
        v = self.project(self.centre(word))
        good = (v * self.context(positive)).sum(-1)
        bad = torch.einsum("bd,bkd->bk", v, self.context(negative))
        return -(
            nn.functional.logsigmoid(good).mean() + nn.functional.logsigmoid(-bad).sum(1).mean()
        )


torch.manual_seed(67)
model = SkipGram()
sparse = torch.optim.SparseAdam([*model.centre.parameters(), *model.context.parameters()], lr=1e-2)
dense = torch.optim.Adam(model.project.parameters(), lr=1e-3)
for _ in range(20):
    word = torch.randint(0, 40, (16,))
    loss = model(word, (word + 1) % 40, torch.randint(0, 40, (16, 4)))
    dense.zero_grad()
    loss.backward()  # ZG101 watch
    sparse.step()
    dense.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
