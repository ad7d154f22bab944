"""Embeddings learn at every step, matrices at every second one: each side of the test steps."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(10, 4), nn.Linear(4, 10))
optimizers = [
    torch.optim.SGD(model[1].parameters(), lr=0.1),
    torch.optim.Adam(model[0].parameters(), lr=0.1),
]
for step in range(10):
    tokens = torch.randint(10, (8,))
    nn.functional.cross_entropy(model(tokens), tokens).backward()
    if step % 2 == 0:
        optimizers[1].step()
        optimizers[1].zero_grad(set_to_none=True)
    else:
        for opt in optimizers:
            opt.step()
        model.zero_grad(set_to_none=True)
