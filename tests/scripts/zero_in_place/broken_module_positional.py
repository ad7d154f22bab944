import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train_epoch(net, loader, opt, criterion):
    for x, y in loader:
        net.zero_grad(False)  # ZG701 lint
        criterion(net(x), y).backward()
        opt.step()


if __name__ == "__main__":
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv1d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(24, 2))
    loader = DataLoader(TensorDataset(torch.randn(40, 1, 8), torch.randint(0, 2, (40,))), batch_size=10)
    train_epoch(net, loader, torch.optim.SGD(net.parameters(), lr=0.1), nn.CrossEntropyLoss())
