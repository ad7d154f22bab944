"""Truncated BPTT that deposits every chunk of a sequence and steps once for the whole of it."""
import torch
from torch import nn

torch.manual_seed(0)
cell, readout = nn.GRUCell(3, 10), nn.Linear(10, 1)
params = [*cell.parameters(), *readout.parameters()]
optimizer = torch.optim.Adam(params, lr=1e-3)
K1, T = 4, 16

for sequence_index in range(6):
    sequence = torch.randn(T, 2, 3)
    h = torch.zeros(2, 10)
    optimizer.zero_grad()
    loss = 0
    for t in range(T):
        h = cell(sequence[t], h)
        loss = loss + nn.functional.mse_loss(readout(h), sequence[: t + 1].sum((0, 2)).unsqueeze(1)) / T
        if (t + 1) % K1 == 0:
            loss.backward()
            h = h.detach()
            loss = 0
    nn.utils.clip_grad_norm_(params, 1.0)
    optimizer.step()
