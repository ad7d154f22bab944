"""Documents packed without padding, as many as fit: the packs have different lengths."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
VOCABULARY, MICRO_BATCHES = 32, 4
model = nn.Sequential(nn.Embedding(VOCABULARY, 16), nn.Linear(16, VOCABULARY))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)


def pack(number):
    documents = [torch.randint(0, VOCABULARY, (6,)) for _ in range(1 if number % 2 else 12)]
    return torch.cat([document[:-1] for document in documents]), torch.cat(
        [document[1:] for document in documents]
    )


for step in range(4):
    optimizer.zero_grad()
    for micro_step in range(MICRO_BATCHES):
        tokens, labels = pack(micro_step)
        loss = functional.cross_entropy(model(tokens), labels)
        loss = loss / MICRO_BATCHES
        loss.backward()  # ZG208 watch
    optimizer.step()
