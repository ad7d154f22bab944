import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--batch-size", type=int, default=16)
    return parser.parse_args()


def make_loader(batch_size):
    features = torch.randn(64, 10)
    labels = torch.randint(0, 3, (64,))
    return DataLoader(TensorDataset(features, labels), batch_size=batch_size)


def train_one_epoch(model, loader, optimizer, criterion):
    model.train()
    optimizer.zero_grad()
    total = 0.0
    for features, labels in loader:
        logits = model(features)
        loss = criterion(logits, labels)
        loss.backward()  # ZG101 lint watch
        optimizer.step()
        total += loss.item() * labels.size(0)
    return total / len(loader.dataset)


def main():
    args = get_args()
    torch.manual_seed(0)
    loader = make_loader(args.batch_size)
    model = nn.Linear(10, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(args.epochs):
        print(epoch, round(train_one_epoch(model, loader, optimizer, criterion), 4))


if __name__ == "__main__":
    main()
