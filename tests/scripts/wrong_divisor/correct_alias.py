import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--gradient_accumulation_steps", type=int, default=4)
parser.add_argument("--train_batch_size", type=int, default=8)
args = parser.parse_args()

torch.manual_seed(0)
n_accum = args.gradient_accumulation_steps
data = TensorDataset(torch.randn(96, 4), torch.randint(0, 2, (96,)))
loader = DataLoader(data, batch_size=args.train_batch_size)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for step, (x, y) in enumerate(loader):
    loss = nn.functional.cross_entropy(model(x), y)
    loss = loss / n_accum
    loss.backward()
    if (step + 1) % args.gradient_accumulation_steps == 0:
        optimizer.step()
        optimizer.zero_grad()
print(round(loss.item() * n_accum, 3))
