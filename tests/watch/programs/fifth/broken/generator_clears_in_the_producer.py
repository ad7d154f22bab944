"""The loop is a generator: it yields after each backward, and whoever consumes it decides to step."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
EPOCHS, WINDOW = 4, 3


def deposits(model, batches, window):
    for inputs, labels in batches:
        model.zero_grad()  # ZG103 watch
        loss = F.cross_entropy(model(inputs), labels)
        (loss / window).backward()
        yield loss.item()


model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
batches = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(9)]

for epoch in range(EPOCHS):
    running = 0.0
    for number, loss in enumerate(deposits(model, batches, WINDOW), start=1):
        running += loss
        if number % WINDOW == 0:
            optimizer.step()
    print(f"epoch {epoch}: {running / len(batches):.4f}")
