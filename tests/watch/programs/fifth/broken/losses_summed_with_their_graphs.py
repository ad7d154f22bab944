"""The first hidden state is a parameter; later chunks carry a detached one."""

import torch
from torch import nn

torch.manual_seed(0)
CHUNK = 5


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.zeros(1, 1, 8))
        self.cell = nn.GRU(3, 8, batch_first=True)
        self.out = nn.Linear(8, 1)

    def forward(self, x, state=None):
        state = self.first.expand(-1, len(x), -1).contiguous() if state is None else state
        hidden, state = self.cell(x, state)
        return self.out(hidden), state


reader = Reader()
optimizer = torch.optim.Adam(reader.parameters(), lr=1e-2)
totals = []
for episode in range(5):
    series = torch.randn(4, 20, 3).cumsum(1)
    state, total = None, 0
    for start in range(0, 20 - CHUNK, CHUNK):
        chunk, target = series[:, start : start + CHUNK], series[:, start + 1 : start + CHUNK + 1, :1]
        predicted, state = reader(chunk, state)
        state = state.detach()
        loss = (predicted - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss  # ZG602 watch
    totals.append(total)
    print(f"{loss.item():.3f}")
