"""Full sequences, packed to one length: every micro-batch has as many tokens."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
VOCABULARY, ACCUMULATE = 20, 4
model = nn.Sequential(nn.Embedding(VOCABULARY, 8), nn.Linear(8, VOCABULARY))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for i in range(16):
    tokens = torch.randint(0, VOCABULARY, (4, 17))
    logits = model(tokens[:, :-1])
    loss = functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    (loss / ACCUMULATE).backward()
    if (i + 1) % ACCUMULATE == 0:
        optimizer.step()
        optimizer.zero_grad()
