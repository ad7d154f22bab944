"""Sums are deposited; before the step all gradients are divided by the window's tokens at once."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
VOCABULARY, PAD = 11, 0


def texts(count):
    for _ in range(count):
        lengths = torch.randint(2, 14, (4, 1))
        tokens = torch.randint(1, VOCABULARY, (4, 14))
        yield torch.where(torch.arange(14) < lengths, tokens, PAD)


model = nn.Sequential(nn.Embedding(VOCABULARY, 16), nn.Linear(16, VOCABULARY))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
parameters = list(model.parameters())
for step in range(12):
    tokens_seen = 0
    for batch in texts(4):
        logits = model(batch[:, :-1])
        target = batch[:, 1:]
        F.cross_entropy(
            logits.reshape(-1, VOCABULARY), target.reshape(-1), ignore_index=PAD, reduction="sum"
        ).backward()
        tokens_seen += int((target != PAD).sum())
    grads = [parameter.grad for parameter in parameters]
    torch._foreach_div_(grads, float(tokens_seen))
    torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)
print("done")
