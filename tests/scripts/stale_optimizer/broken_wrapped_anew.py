import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))


def unwrap(model):
    return model.module if isinstance(model, nn.DataParallel) else model


def wrap(model):
    return nn.DataParallel(model)


def train(steps):
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)  # ZG306 lint watch
    model[0].requires_grad_(False)
    for step in range(steps):
        if step == 4:
            bare = build()
            bare[0].requires_grad_(True)
            model = wrap(bare)
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        loss.backward()
        optimizer.step()
    return loss.item()


torch.manual_seed(0)
print(train(8))
