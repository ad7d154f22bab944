"""Accumulation where the last window of an epoch is shorter and is divided by its own length."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--accumulate", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=0.05)
    return parser.parse_args()


def train_one_epoch(model, loader, optimizer, args):
    total = len(loader)
    tail = total % args.accumulate
    optimizer.zero_grad()
    for step, (x, y) in enumerate(loader):
        in_tail = tail and step >= total - tail
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()  # ZG201 watch
        if (step + 1) % args.accumulate == 0 or step + 1 == total:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()


def main():
    args = parse()
    torch.manual_seed(1)
    x, y = torch.randn(110, 6), torch.randint(0, 3, (110,))
    loader = DataLoader(TensorDataset(x, y), batch_size=10, shuffle=True)
    model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    for _ in range(args.epochs):
        train_one_epoch(model, loader, optimizer, args)
    print("digest", sum(p.double().sum().item() for p in model.parameters()).hex())


main()
