import torch
from torch import nn, optim
from torch.nn.utils import clip_grad_norm_


def prepare(optimizer, model, max_norm):
    optimizer.zero_grad()
    clip_grad_norm_(model.parameters(), max_norm)  # ZG403 lint watch


def train(model, batches, max_norm=5.0):
    optimizer = optim.Adagrad(model.parameters(), lr=0.05)
    for tokens, label in batches:
        prepare(optimizer, model, max_norm)
        logits = model(tokens).mean(dim=1)
        loss = nn.functional.cross_entropy(logits, label)
        loss.backward()
        optimizer.step()
    return loss.item()


torch.manual_seed(0)
batches = [(torch.randint(0, 12, (5, 4)), torch.randint(0, 3, (5,))) for _ in range(6)]
print(train(nn.Embedding(12, 3), batches))
