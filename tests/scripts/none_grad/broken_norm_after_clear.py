import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def grad_norm(model):
    total = 0.0
    for p in model.parameters():
        total += p.grad.norm().item() ** 2  # ZG105 lint watch
    return total**0.5


def main():
    torch.manual_seed(0)
    loader = DataLoader(TensorDataset(torch.randn(24, 3), torch.randn(24, 1)), batch_size=8)
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    optimizer = torch.optim.Adam(model.parameters())
    for step, (x, y) in enumerate(loader):
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(step, f"{grad_norm(model):.3f}")


if __name__ == "__main__":
    main()
