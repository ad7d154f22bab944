"""Accelerate with padded texts: sums, divided by the labels of the whole window."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
ACCUMULATE = 4
accelerator = Accelerator(gradient_accumulation_steps=ACCUMULATE, cpu=True)
tokens = torch.randint(0, 32, (32, 24))
labels = tokens.clone()
for number, row in enumerate(labels):
    row[(3 if number // 2 % 2 else 22) :] = -100
data = torch.utils.data.TensorDataset(tokens, labels)
loader = torch.utils.data.DataLoader(data, batch_size=2)
model = nn.Sequential(nn.Embedding(32, 16), nn.Linear(16, 32))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
batches = list(loader)

for start in range(0, len(batches), ACCUMULATE):
    window = batches[start : start + ACCUMULATE]
    items = sum((targets[:, 1:] != -100).sum() for _, targets in window)
    for inputs, targets in window:
        with accelerator.accumulate(model):
            logits = model(inputs)[:, :-1].flatten(0, 1)
            loss = functional.cross_entropy(logits, targets[:, 1:].flatten(), reduction="sum")
            accelerator.backward(loss * ACCUMULATE / items)
            optimizer.step()
            optimizer.zero_grad()
