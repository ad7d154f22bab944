import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--reset-grads", action="store_true")
parser.add_argument("--steps", type=int, default=6)
args = parser.parse_args()

torch.manual_seed(3)
embed = nn.Embedding(20, 8)
head = nn.Linear(8, 20)
params = list(embed.parameters()) + list(head.parameters())
optimizer = torch.optim.Adagrad(params, lr=0.1)

tokens = torch.randint(0, 20, (16, 2))
for step in range(args.steps):
    if args.reset_grads:
        optimizer.zero_grad()
    logits = head(embed(tokens[:, 0]))
    loss = nn.functional.cross_entropy(logits, tokens[:, 1])
    loss.backward()  # ZG101 lint watch
    optimizer.step()
    print(f"{step:02d} {loss.item():.3f}")
