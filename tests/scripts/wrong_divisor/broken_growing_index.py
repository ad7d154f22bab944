import torch
from torch import nn


def accumulate(model, criterion, chunks):
    for j, (x, y) in enumerate(chunks, start=1):
        loss = criterion(model(x), y) / j
        loss.backward()  # ZG204 lint watch


def main():
    torch.manual_seed(2)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    criterion = nn.MSELoss()
    for _ in range(5):
        x, y = torch.randn(16, 4), torch.randn(16, 1)
        optimizer.zero_grad()
        accumulate(model, criterion, zip(x.chunk(4), y.chunk(4)))
        optimizer.step()
    print("five steps")


if __name__ == "__main__":
    main()
