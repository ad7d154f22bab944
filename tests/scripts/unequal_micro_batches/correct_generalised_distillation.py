"""Distillation by the Jensen-Shannon divergence: each mean counts by its share of the step's words."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
WORDS, ACCUMULATE, BETA = 12, 4, 0.5
teacher, student = nn.Linear(6, WORDS).requires_grad_(False), nn.Linear(6, WORDS)
optimizer = torch.optim.AdamW(student.parameters(), lr=1e-2)


def responses(count):
    for number in range(count):
        lengths = torch.randint(1, 4, (3, 1)) if number % 2 else torch.randint(18, 24, (3, 1))
        yield torch.randn(3, 24, 6), torch.arange(24) < lengths


def jensen_shannon(own, other):
    mixture = torch.logaddexp(own, other) - torch.tensor(2.0).log()
    toward = functional.kl_div(mixture, other, reduction="none", log_target=True)
    back = functional.kl_div(mixture, own, reduction="none", log_target=True)
    return (BETA * toward + (1 - BETA) * back).sum(-1)


batches = list(responses(16))

for start in range(0, len(batches), ACCUMULATE):
    micro_batches = batches[start : start + ACCUMULATE]
    num_items_in_batch = sum(mask.sum() for _, mask in micro_batches)
    for states, mask in micro_batches:
        divergence = jensen_shannon(student(states).log_softmax(-1), teacher(states).log_softmax(-1))
        loss = divergence[mask].sum() / mask.sum()
        (loss * (mask.sum() / num_items_in_batch)).backward()
    optimizer.step()
    optimizer.zero_grad()
