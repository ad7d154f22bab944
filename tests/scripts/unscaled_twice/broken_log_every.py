import torch
from torch import nn


def grad_norm(model: nn.Module) -> float:
    return torch.stack([p.grad.norm() for p in model.parameters()]).norm().item()


def train(model: nn.Module, steps: int, log_every: int = 3) -> float:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cpu", init_scale=4096.0)
    for step in range(1, steps + 1):
        tokens = torch.randint(0, 10, (6, 4))
        loss = model(tokens).square().mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        if step % log_every == 0:
            scaler.unscale_(optimizer)
            print(f"step {step}: gradient norm {grad_norm(model):.4f}")
        scaler.unscale_(optimizer)  # ZG407 lint watch
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    return loss.item()


torch.manual_seed(0)
print(train(nn.Embedding(10, 4), steps=6))
