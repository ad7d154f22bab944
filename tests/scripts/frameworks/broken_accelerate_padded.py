"""Accelerate divides by the accumulation steps; the padded micro-batches have different lengths."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
accelerator = Accelerator(gradient_accumulation_steps=4, cpu=True)
tokens = torch.randint(0, 32, (32, 24))
labels = tokens.clone()
for number, row in enumerate(labels):
    row[(3 if number // 2 % 2 else 22) :] = -100
data = torch.utils.data.TensorDataset(tokens, labels)
loader = torch.utils.data.DataLoader(data, batch_size=2)
model = nn.Sequential(nn.Embedding(32, 16), nn.Linear(16, 32))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

for inputs, targets in loader:
    with accelerator.accumulate(model):
        logits = model(inputs)
        loss = functional.cross_entropy(logits[:, :-1].flatten(0, 1), targets[:, 1:].flatten())
        accelerator.backward(loss)  # ZG208 watch
        optimizer.step()
        optimizer.zero_grad()
