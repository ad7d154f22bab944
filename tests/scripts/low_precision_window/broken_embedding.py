import argparse

import torch
import torch.nn.functional as F
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--dtype", default="bfloat16", choices=["bfloat16", "float32"])
parser.add_argument("--accumulate", type=int, default=20)
args = parser.parse_args()

torch.manual_seed(0)
dtype = getattr(torch, args.dtype)
lm = nn.Sequential(nn.Embedding(30, 8), nn.Linear(8, 30)).to(dtype)
optimizer = torch.optim.SGD(lm.parameters(), lr=0.1)

for step in range(2):
    for _ in range(args.accumulate):
        tokens = torch.randint(0, 30, (2, 9))
        logits = lm(tokens[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        (loss / args.accumulate).backward()  # ZG206 watch
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
print(args.dtype)
