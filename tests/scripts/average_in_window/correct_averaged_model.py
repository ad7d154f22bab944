"""torch's AveragedModel, updated where the optimizer steps."""

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

torch.manual_seed(0)
accumulation_steps = 4
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
averaged = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))

for i in range(32):
    batch = torch.randn(8, 6)
    loss = nn.functional.mse_loss(model(batch), batch.sum(1, keepdim=True)) / accumulation_steps
    loss.backward()
    if (i + 1) % accumulation_steps == 0:
        optimizer.step()
        optimizer.zero_grad()
        averaged.update_parameters(model)
