"""A chat model that learns from the assistant's words alone; the model takes the mean."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
VOCABULARY, GRAD_ACCUM_STEPS = 24, 4


class ChatModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(VOCABULARY, 12), nn.Linear(12, VOCABULARY)

    def forward(self, inputs, targets, loss_reduction="mean"):
        logits = self.head(self.embedding(inputs))
        return functional.cross_entropy(
            logits.view(-1, VOCABULARY), targets.view(-1), ignore_index=-1, reduction=loss_reduction
        )


def conversations():
    number = 0
    while True:
        tokens = torch.randint(0, VOCABULARY, (4, 33))
        inputs, targets = tokens[:, :-1], tokens[:, 1:].clone()
        targets[:, : 29 if number % 2 else 3] = -1
        number += 1
        yield inputs, targets


model = ChatModel()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
loader = conversations()

for step in range(4):
    for micro_step in range(GRAD_ACCUM_STEPS):
        inputs, targets = next(loader)
        loss = model(inputs, targets)
        train_loss = loss.detach()
        loss = loss / GRAD_ACCUM_STEPS
        loss.backward()  # ZG208 watch
    optimizer.step()
    optimizer.zero_grad()
