import torch
from torch import nn


def configure_optimizer(model: nn.Module, lr: float, weight_decay: float) -> torch.optim.AdamW:
    decay, no_decay = [], []
    for name, p in model.named_parameters():
        (no_decay if p.ndim < 2 or name.endswith("bias") else decay).append(p)
    groups = [
        {"params": decay, "weight_decay": weight_decay},
        {"params": no_decay, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=lr)


torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(10, 6), nn.Flatten(), nn.LayerNorm(18), nn.Linear(18, 10))
optimizer = configure_optimizer(model, 1e-2, 0.1)
for step in range(6):
    context, word = torch.randint(0, 10, (8, 3)), torch.randint(0, 10, (8,))
    loss = nn.functional.cross_entropy(model(context), word)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
