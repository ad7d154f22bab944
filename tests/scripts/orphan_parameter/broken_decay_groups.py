import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.LayerNorm(12), nn.GELU(), nn.Linear(12, 2))
decay = [p for name, p in model.named_parameters() if p.ndim >= 2]
no_decay = [p for name, p in model.named_parameters() if p.ndim < 2]
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}], lr=1e-2)  # ZG304 watch

for step in range(8):
    x = torch.randn(16, 6)
    y = (x[:, 0] > 0).long()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    model.zero_grad()
print(f"{len(decay)} decayed, {len(no_decay)} not: {loss.item():.4f}")
