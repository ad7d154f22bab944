"""Only new tokens learn: the old rows' gradients are zeroed in place before each step."""

import torch
from torch import nn

torch.manual_seed(0)
OLD, NEW = 20, 5
embedding = nn.Embedding(OLD + NEW, 8)
body = nn.Linear(8, OLD + NEW).requires_grad_(False)
optimizer = torch.optim.AdamW(embedding.parameters(), lr=1e-2, weight_decay=0.0)
kept = embedding.weight[:OLD].detach().clone()
for step in range(20):
    tokens = torch.randint(0, OLD + NEW, (4, 10))
    logits = body(embedding(tokens[:, :-1]))
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    embedding.weight.grad[:OLD] = 0
    optimizer.step()
    optimizer.zero_grad()
assert torch.equal(kept, embedding.weight[:OLD])
print(f"{loss.item():.3f}")
