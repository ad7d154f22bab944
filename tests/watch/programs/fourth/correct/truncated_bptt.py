"""A character model with truncated backpropagation through time; the hidden state is detached between chunks."""

import torch
from torch import nn


class CharModel(nn.Module):
    def __init__(self, vocabulary=12, width=16):
        super().__init__()
        self.embed, self.lstm = (
            nn.Embedding(vocabulary, width),
            nn.LSTM(width, width, 2, dropout=0.1),
        )
        self.out = nn.Linear(width, vocabulary)
        self.out.weight = self.embed.weight

    def forward(self, x, state):
        h, state = self.lstm(self.embed(x), state)
        return self.out(h), state


def repackage(state):
    return tuple(s.detach() for s in state) if state is not None else None


torch.manual_seed(62)
text = torch.randint(0, 12, (61, 6))
model = CharModel()
optimizer = torch.optim.ASGD(model.parameters(), lr=1.0)
for epoch in range(3):
    state = None
    for i in range(0, 60, 10):
        state = repackage(state)
        logits, state = model(text[i : i + 10], state)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), text[i + 1 : i + 11].flatten())
        model.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 0.25)
        optimizer.step()
print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())
