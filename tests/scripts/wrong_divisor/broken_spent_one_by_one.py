import torch
import torch.nn.functional as F
from torch import nn


def train(model, batches, optimizer, gradient_accumulation_steps=1):
    model.train()
    for x, y in batches:
        loss = F.cross_entropy(model(x), y)
        if gradient_accumulation_steps > 1:
            loss /= gradient_accumulation_steps
        loss.backward()  # ZG204 lint
        optimizer.step()
        model.zero_grad()


torch.manual_seed(0)
model = nn.Linear(6, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batches = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(12)]
train(model, batches, optimizer, gradient_accumulation_steps=4)
