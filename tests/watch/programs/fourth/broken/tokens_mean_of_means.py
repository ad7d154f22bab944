"""Accumulation over padded batches: summed token losses, gradients divided by the window's tokens before the step."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, v=16, d=12):
        super().__init__()
        self.embed, self.rnn, self.head = (
            nn.Embedding(v, d, padding_idx=0),
            nn.GRU(d, d, batch_first=True),
            nn.Linear(d, v),
        )

    def forward(self, x):
        return self.head(self.rnn(self.embed(x))[0])


def batch():
    length = int(torch.randint(3, 9, ()))
    x = torch.randint(1, 16, (4, length + 1))
    x[0, length // 2 + 1 :] = 0
    return x[:, :-1], x[:, 1:]


torch.manual_seed(84)
model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
tokens = 0
for step in range(1, 37):
    x, y = batch()
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten(), ignore_index=0)
    (loss / 4).backward()  # ZG208 watch
    tokens += int((y != 0).sum())
    if step % 4 == 0:
        nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
        optimizer.step()
        optimizer.zero_grad()
        tokens = 0
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
