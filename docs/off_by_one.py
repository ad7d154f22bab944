"""A batch in eight micro-batches, spent by a loop as published and by the engine.

The loop tests `index % accumulate == 0` with an index that begins at 0, as public examples do:
docs/found-in-public-code.md names three under window-off-by-one. Its first step spends one
micro-batch of eight.
"""

import torch
from torch import nn

import zerograd

torch.manual_seed(0)
inputs = torch.randn(64, 10)
targets = inputs.argmax(1) % 3
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
criterion = nn.CrossEntropyLoss()
accumulate = 8
batches = list(zip(inputs.chunk(accumulate), targets.chunk(accumulate), strict=True))


def spent() -> torch.Tensor:
    """Return the gradient that lies there when a step spends it."""
    return torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])


def off(gradient: torch.Tensor) -> float:
    """Return how far a gradient is from that of the whole batch, as a part of its length."""
    return float((gradient - whole).norm() / whole.norm())


criterion(model(inputs), targets).backward()
whole = spent().clone()
model.zero_grad()

optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
for index, (features, labels) in enumerate(batches):
    loss = criterion(model(features), labels) / accumulate
    loss.backward()
    if index % accumulate == 0:
        print(f"as published: {off(spent()):.0%} off the gradient of the batch")
        optimizer.step()
        optimizer.zero_grad()
model.zero_grad()

gradients = zerograd.Gradients(
    optimizer,
    accumulate=accumulate,
    on_step=lambda _: print(f"zerograd.Gradients: within 1e-6 of it: {off(spent()) < 1e-6}"),
)
for features, labels in gradients.batches(batches):
    gradients.backward(criterion(model(features), labels), items=len(labels))
