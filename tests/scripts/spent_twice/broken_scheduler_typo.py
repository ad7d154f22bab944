import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset


def get_data():
    x = torch.randn(40, 6)
    return DataLoader(TensorDataset(x, x[:, :1] * 2 - 1), batch_size=10)


def train_one_epoch(model, loader, optimizer, criterion):
    model.train()
    total = 0.0
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
    optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    loader = get_data()
    for epoch in range(3):
        loss = train_one_epoch(model, loader, optimizer, nn.MSELoss())
        optimizer.step()  # ZG302 lint watch
        print(epoch, f"{loss:.4f}", scheduler.get_last_lr())


main()
