"""Documents packed without padding; each pack is summed, and divided by the tokens of the step."""

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
    packs = [pack(micro_step) for micro_step in range(MICRO_BATCHES)]
    tokens_of_the_step = sum(len(labels) for _, labels in packs)
    for tokens, labels in packs:
        loss = functional.cross_entropy(model(tokens), labels, reduction="sum")
        (loss / tokens_of_the_step).backward()
    optimizer.step()
