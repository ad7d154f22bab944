import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def batch_loss(model, x, y):
    total = 0.0
    for prediction, target in zip(model(x), y):
        total += abs(prediction.item() - target.item())
    return torch.tensor(total / len(x), requires_grad=True)


def main():
    torch.manual_seed(0)
    x = torch.randn(48, 3)
    loader = DataLoader(TensorDataset(x, x.sum(1)), batch_size=8)
    model = nn.Sequential(nn.Linear(3, 1), nn.Flatten(0))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = batch_loss(model, inputs, targets)
            loss.backward()  # ZG601 lint watch
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.3f}")


main()
