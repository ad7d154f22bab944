"""A language model as GPT scripts train it: accumulation, a scaler, a clip, a schedule by hand."""

import math

import torch
from torch import nn

STEPS, ACCUMULATE, VOCABULARY = 8, 4, 17


def learning_rate(step: int) -> float:
    return 1e-2 * 0.5 * (1 + math.cos(math.pi * step / STEPS))


def train() -> nn.Module:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(VOCABULARY, 8), nn.Tanh(), nn.Linear(8, VOCABULARY))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10)
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step)
        for _ in range(ACCUMULATE):
            tokens = torch.randint(VOCABULARY, (4, 9))
            logits = model(tokens[:, :-1]).flatten(0, 1)
            loss = nn.functional.cross_entropy(logits, tokens[:, 1:].flatten())
            loss = loss / ACCUMULATE
            scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
    return model
