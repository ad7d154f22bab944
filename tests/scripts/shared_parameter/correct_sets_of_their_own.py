"""Several optimizers, each over a tensor that is made where it is given, to try their schedules."""
import torch
from torch import nn


def cosine(optimizer, steps):
    return torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)


torch.manual_seed(0)
plain_optimizer = torch.optim.AdamW([nn.Parameter(torch.ones(2))], lr=1e-2)
plain = cosine(plain_optimizer, steps=20)
capped_optimizer = torch.optim.AdamW([nn.Parameter(torch.ones(2))], lr=1e-2)
capped = cosine(capped_optimizer, steps=5)

for optimizer, schedule in ((plain_optimizer, plain), (capped_optimizer, capped)):
    (weight,) = optimizer.param_groups[0]["params"]
    for _ in range(5):
        optimizer.zero_grad()
        loss = weight.square().sum()
        loss.backward()
        optimizer.step()
        schedule.step()
    print(schedule.get_last_lr(), loss.item())
