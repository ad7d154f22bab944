"""An average from torch's own swa_utils; its weights are swapped in for each evaluation."""

import contextlib

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

torch.manual_seed(0)
WINDOW = 2


@contextlib.contextmanager
def swapped(model, average):
    kept = [p.detach().clone() for p in model.parameters()]
    with torch.no_grad():
        for p, mean in zip(model.parameters(), average.module.parameters()):
            p.copy_(mean)
    yield
    with torch.no_grad():
        for p, mine in zip(model.parameters(), kept):
            p.copy_(mine)


model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 1))
average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9, nesterov=True)
held_out = torch.randn(32, 5)
for number in range(1, 41):
    inputs = torch.randn(8, 5)
    loss = (model(inputs) - inputs.sum(1, keepdim=True)).square().mean()
    (loss / WINDOW).backward()
    if number % WINDOW == 0:
        optimizer.step()
        optimizer.zero_grad()
        average.update_parameters(model)
    if number % 10 == 5:  # in mid-window: the gradients lie there meanwhile
        with swapped(model, average), torch.no_grad():
            print(f"{(model(held_out) - held_out.sum(1, keepdim=True)).square().mean():.4f}")
