"""bfloat16 autocast, activations packed to the 'host' by saved-tensor hooks, windows of two."""

import torch
from torch import nn

torch.manual_seed(0)
WINDOW = 2
model = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for number in range(1, 25):
    inputs, labels = torch.randn(8, 8), torch.randint(0, 4, (8,))
    with (
        torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t),
        torch.autocast("cpu", dtype=torch.bfloat16),
    ):
        loss = nn.functional.cross_entropy(model(inputs), labels) / WINDOW
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)  # ZG404 watch
    if number % WINDOW == 0:
        optimizer.step()
        optimizer.zero_grad()
print(f"{loss.item() * WINDOW:.3f}")
