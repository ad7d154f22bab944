import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_


def train(model, optimizer, scaler, batches):
    skipped = 0
    for x, y in batches:
        loss = nn.functional.mse_loss(model(x), y)
        if scaler is not None:
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
        else:
            loss.backward()
        norm = clip_grad_norm_(model.parameters(), 1.0)
        if not torch.isfinite(norm):
            skipped += 1
        elif scaler is not None:
            scaler.step(optimizer)
        else:
            optimizer.step()
        if scaler is not None:
            scaler.update()
        optimizer.zero_grad()
    return skipped


torch.manual_seed(0)
model = nn.Linear(3, 1)
batches = [(torch.randn(5, 3), torch.randn(5, 1) / (0 if i == 3 else 1)) for i in range(8)]
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
print(train(model, optimizer, torch.amp.GradScaler("cpu"), batches))
