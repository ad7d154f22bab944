import torch
from torch import nn


def build(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    decay = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.8)
    return optimizer, decay


def main():
    torch.manual_seed(3)
    updates, micro = 5, 4
    model = nn.Sequential(nn.Conv1d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(12, 1))
    optimizer, decay = build(model)
    for _ in range(updates):
        x = torch.randn(8, 1, 8)
        y = x.mean(dim=2)
        optimizer.zero_grad()
        for mx, my in zip(x.chunk(micro), y.chunk(micro)):
            loss = nn.functional.mse_loss(model(mx), my) / micro
            loss.backward()
            decay.step()  # ZG207 lint watch
        optimizer.step()
    return loss.item()


if __name__ == "__main__":
    print(round(main(), 3))
