"""Private SGD by hand: each sample's gradient is clipped into a buffer, then noise, then a step."""

import torch
from torch import nn

torch.manual_seed(0)
CLIP, NOISE, BATCH = 0.5, 0.3, 6
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(10):
    inputs, labels = torch.randn(BATCH, 4), torch.randint(0, 2, (BATCH,))
    buffers = [torch.zeros_like(p) for p in model.parameters()]
    for sample, label in zip(inputs, labels):
        model.zero_grad()
        loss = nn.functional.cross_entropy(model(sample[None]), label[None])
        loss.backward()
        norm = torch.sqrt(sum(p.grad.square().sum() for p in model.parameters()))
        factor = (CLIP / (norm + 1e-6)).clamp(max=1.0)
        for buffer, p in zip(buffers, model.parameters()):
            buffer.add_(p.grad * factor)
    for buffer, p in zip(buffers, model.parameters()):
        noisy = buffer + NOISE * CLIP * torch.randn_like(buffer)
        p.grad.copy_(noisy / BATCH)
    optimizer.step()
print(loss.item())
