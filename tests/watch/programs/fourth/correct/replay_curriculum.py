"""A curriculum over lengths with a replay of the hardest samples, batches come from a generator."""

import heapq

import torch
from torch import nn


def curriculum(epochs, max_length=6):
    for epoch in range(epochs):
        length = min(max_length, 2 + epoch)
        for _ in range(6):
            tokens = torch.randint(1, 8, (8, length))
            yield epoch, tokens, tokens.sum(1).float() / 10


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.rnn, self.out = (
            nn.Embedding(8, 6),
            nn.GRU(6, 12, batch_first=True),
            nn.Linear(12, 1),
        )

    def forward(self, tokens):
        return self.out(self.rnn(self.embed(tokens))[0][:, -1]).squeeze(1)


torch.manual_seed(56)
model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
hardest, counter = [], 0
for epoch, tokens, target in curriculum(4):
    error = (model(tokens) - target).abs()
    loss = error.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for e, t, y in zip(error.detach().tolist(), tokens, target):
        counter += 1
        heapq.heappush(hardest, (e, counter, t, y))
        if len(hardest) > 4:
            heapq.heappop(hardest)
    if counter % 16 == 0:
        for e, _, t, y in hardest:
            optimizer.zero_grad()
            nn.functional.l1_loss(model(t[None]), y[None]).mul(0.5).backward()
            optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
