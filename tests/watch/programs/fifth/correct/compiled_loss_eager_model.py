"""Only the loss and one block are compiled; the rest stays eager, windows of three."""

import torch
from torch import nn

torch.manual_seed(0)
WINDOW = 3


@torch.compile(backend="aot_eager")
def contrast(first, second, temperature: float):
    first = nn.functional.normalize(first, dim=1)
    second = nn.functional.normalize(second, dim=1)
    return nn.functional.cross_entropy(first @ second.T / temperature, torch.arange(len(first)))


block = torch.compile(nn.Sequential(nn.Linear(10, 16), nn.ReLU()), backend="eager")
projector = nn.Linear(16, 4)
optimizer = torch.optim.SGD([*block.parameters(), *projector.parameters()], lr=0.1)
for number in range(1, 19):
    inputs = torch.randn(8, 10)
    views = [projector(block(inputs + 0.2 * torch.randn_like(inputs))) for _ in range(2)]
    loss = contrast(*views, 0.2)
    (loss / WINDOW).backward()
    if number % WINDOW == 0:
        optimizer.step()
        optimizer.zero_grad()
print(f"{loss.item():.3f}")
