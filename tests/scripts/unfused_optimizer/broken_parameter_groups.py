import torch
from torch import nn
from torch.optim import SGD


def build_optimizer(model, lr=0.1, weight_decay=1e-4):
    decay, no_decay = [], []
    for name, p in model.named_parameters():
        (no_decay if p.ndim == 1 else decay).append(p)
    groups = [{"params": decay, "weight_decay": weight_decay}, {"params": no_decay, "weight_decay": 0.0}]
    return SGD(groups, lr=lr, momentum=0.9, nesterov=True)  # ZG702 lint watch


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))
    optimizer = build_optimizer(model)
    for _ in range(4):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(torch.randn(4, 3, 8, 8)), torch.randint(0, 2, (4,)))
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
