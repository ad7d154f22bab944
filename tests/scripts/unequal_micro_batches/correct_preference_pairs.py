"""Preferences: answers differ in length, but a pair is one item, and all micro-batches have four."""

import copy

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
WORDS, ACCUMULATE, BETA = 16, 4, 0.1
policy = nn.Sequential(nn.Embedding(WORDS, 8), nn.Linear(8, WORDS))
reference = copy.deepcopy(policy).requires_grad_(False)
optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)


def preferences(count):
    for number in range(count):
        pairs = 4
        chosen, rejected = torch.randint(0, WORDS, (2, pairs, 20))
        mask = torch.arange(19) < torch.randint(2, 20, (pairs, 1))
        yield chosen, rejected, mask


def log_probabilities(model, tokens, mask):
    scores = model(tokens[:, :-1]).log_softmax(-1)
    return (scores.gather(-1, tokens[:, 1:, None]).squeeze(-1) * mask).sum(-1)


for i, (chosen, rejected, mask) in enumerate(preferences(16)):
    margins = [
        log_probabilities(policy, tokens, mask) - log_probabilities(reference, tokens, mask)
        for tokens in (chosen, rejected)
    ]
    loss = -functional.logsigmoid(BETA * (margins[0] - margins[1])).mean()
    (loss / ACCUMULATE).backward()
    if (i + 1) % ACCUMULATE == 0:
        optimizer.step()
        optimizer.zero_grad()
