"""Fine-tuning in micro-batches of a large batch: the token means of all of them are added up."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
WORDS, MICRO_BATCH = 20, 2
model = nn.Sequential(nn.Embedding(WORDS, 8), nn.Linear(8, WORDS))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)


def batches(count):
    for _ in range(count):
        tokens = torch.randint(0, WORDS, (8, 24))
        lengths = torch.tensor([3, 2, 22, 24, 2, 4, 20, 23]).unsqueeze(1)
        yield tokens, (torch.arange(24) < lengths).float()


for tokens, loss_mask in batches(4):
    micro_batches = list(zip(tokens.split(MICRO_BATCH), loss_mask.split(MICRO_BATCH)))
    for words, mask in micro_batches:
        logits = model(words).flatten(0, 1)
        losses = functional.cross_entropy(logits, words.flatten(), reduction="none")
        loss = (losses * mask.flatten()).sum() / mask.sum()
        loss.backward()  # ZG208 watch
    optimizer.step()
    optimizer.zero_grad()
