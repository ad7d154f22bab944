import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train_epoch(model, loader, optimizer, criterion, accumulation_steps):
    model.train()
    total = 0.0
    for i, (images, labels) in enumerate(loader):
        loss = criterion(model(images), labels)
        total += loss.item()
        loss = loss / accumulation_steps
        loss.backward()
        if (i + 1) % accumulation_steps == 0:
            optimizer.step()  # ZG202 lint watch
            optimizer.zero_grad()
    return total / len(loader)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--accumulation-steps", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()

    torch.manual_seed(0)
    dataset = TensorDataset(torch.randn(27, 1, 5, 5), torch.randint(0, 3, (27,)))
    loader = DataLoader(dataset, batch_size=3, shuffle=True)
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(18, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        value = train_epoch(model, loader, optimizer, nn.CrossEntropyLoss(), args.accumulation_steps)
        print(f"epoch {epoch}: {value:.3f}")


if __name__ == "__main__":
    main()
