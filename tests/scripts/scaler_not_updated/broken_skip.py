import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_


def train(model, optimizer, scaler, batches, limit=20.0):
    for x, y in batches:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)  # ZG405 lint watch
        norm = clip_grad_norm_(model.parameters(), 1.0)
        if norm > limit:
            print("skipping a batch with gradient norm", round(norm.item(), 1))
            continue
        scaler.step(optimizer)
        scaler.update()
    return loss.item()


torch.manual_seed(0)
model = nn.Linear(3, 1)
batches = [(torch.randn(5, 3), torch.randn(5, 1) * (100 if i == 3 else 1)) for i in range(8)]
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
print(train(model, optimizer, torch.amp.GradScaler("cpu"), batches))
