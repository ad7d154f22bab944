"""A token loss divided by the tokens of the step, beside a balance loss divided by its micro-batches."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
ACCUMULATE, PADDING, TOKENS_A_STEP = 4, 0, 248
embedding, gate = nn.Embedding(40, 12), nn.Linear(12, 4)
head = nn.Linear(12, 40)
parameters = [*embedding.parameters(), *gate.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-3)

for i in range(16):
    length = 3 if i % 2 else 30
    tokens = torch.randint(1, 40, (4, 32))
    tokens[:, length:] = PADDING
    hidden = embedding(tokens)
    logits, labels = head(hidden[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten()
    of_tokens = functional.cross_entropy(logits, labels, ignore_index=PADDING, reduction="sum")
    balance = gate(hidden).softmax(-1).mean((0, 1)).square().sum()
    loss = of_tokens / TOKENS_A_STEP + 0.01 * balance / ACCUMULATE
    loss.backward()
    if (i + 1) % ACCUMULATE == 0:
        optimizer.step()
        optimizer.zero_grad()
