"""A token loss over what is not padded, beside a balance loss that every micro-batch has once."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
ACCUMULATE, PADDING = 4, 0
embedding, gate = nn.Embedding(40, 12), nn.Linear(12, 4)
head = nn.Linear(12, 40)
parameters = [*embedding.parameters(), *gate.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-3)

for i in range(16):
    length = 3 if i % 2 else 30
    tokens = torch.randint(1, 40, (4, 32))
    tokens[:, length:] = PADDING
    hidden = embedding(tokens)
    of_tokens = functional.cross_entropy(
        head(hidden[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=PADDING
    )
    balance = gate(hidden).softmax(-1).mean((0, 1)).square().sum()
    loss = of_tokens + 0.01 * balance
    (loss / ACCUMULATE).backward()  # ZG208 watch
    if (i + 1) % ACCUMULATE == 0:
        optimizer.step()
        optimizer.zero_grad()
