import torch
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_

scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)


def train_epoch(model, loader, optimizer, accumulation_steps, max_norm=1.0):
    model.train()
    total = 0.0
    for i, (x, y) in enumerate(loader):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            prediction = model(x)
        loss = F.mse_loss(prediction.float(), y)
        scaler.scale(loss / accumulation_steps).backward()
        if (i + 1) % accumulation_steps == 0:
            clip_grad_norm_(model.parameters(), max_norm)  # ZG402 lint watch
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
        total += loss.item()
    return total / len(loader)
