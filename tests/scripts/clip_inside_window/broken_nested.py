import torch
from torch import nn


def train(model, steps, micro_batches, batch, max_norm):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(steps):
        opt.zero_grad()
        for _ in range(micro_batches):
            x = torch.randn(batch, 4)
            y = x.sum(1, keepdim=True)
            loss = nn.functional.mse_loss(model(x), y) / micro_batches
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), max_norm)  # ZG404 lint watch
        opt.step()
    return loss.item()


torch.manual_seed(0)
print(train(nn.Linear(4, 1), steps=4, micro_batches=3, batch=5, max_norm=0.5))
