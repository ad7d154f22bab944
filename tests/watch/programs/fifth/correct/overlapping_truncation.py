"""Backpropagation through time with k1=2, k2=6: a graph of six steps is kept, every second step learns."""

from collections import deque

import torch
from torch import nn

torch.manual_seed(0)
K1, K2 = 2, 6
cell, readout = nn.RNNCell(2, 6), nn.Linear(6, 1)
parameters = [*cell.parameters(), *readout.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.02)
signal = torch.sin(torch.arange(60.0) / 3)
inputs = torch.stack([signal, signal.roll(1)], 1)
past = deque(maxlen=K2)
state = torch.zeros(1, 6)
for time in range(59):
    past.append((inputs[time : time + 1], state.detach()))
    with torch.no_grad():
        state = cell(inputs[time : time + 1], state)
    if time % K1 == K1 - 1:
        hidden = past[0][1]
        for step_input, _ in past:
            hidden = cell(step_input, hidden)
        loss = (readout(hidden) - signal[time + 1]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.4f}")
