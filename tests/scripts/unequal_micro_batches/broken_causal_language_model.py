"""A small causal language model on padded conversations, four micro-batches a step."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
VOCABULARY, PADDING, ACCUMULATION_STEPS = 32, -100, 4


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 16)
        self.mixer = nn.GRU(16, 16, batch_first=True)
        self.head = nn.Linear(16, VOCABULARY)

    def forward(self, tokens):
        return self.head(self.mixer(self.embedding(tokens))[0])


def conversations(count):
    for number in range(count):
        lengths = torch.randint(2, 6, (4,)) if number % 2 else torch.randint(20, 32, (4,))
        tokens = torch.randint(0, VOCABULARY, (4, 32))
        keep = torch.arange(32) < lengths[:, None]
        yield tokens, torch.where(keep, tokens, PADDING)


model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

for i, (tokens, labels) in enumerate(conversations(16)):
    logits = model(tokens)
    loss = functional.cross_entropy(
        logits[:, :-1].reshape(-1, VOCABULARY),
        labels[:, 1:].reshape(-1),
        ignore_index=PADDING,
    )
    (loss / ACCUMULATION_STEPS).backward()  # ZG208 lint watch
    if (i + 1) % ACCUMULATION_STEPS == 0:
        optimizer.step()
        optimizer.zero_grad()
