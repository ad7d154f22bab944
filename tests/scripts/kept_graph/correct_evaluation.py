import torch
from torch import nn


def evaluate(model, batches):
    model.eval()
    outputs = []
    with torch.no_grad():
        for x, _ in batches:
            outputs.append(model(x))
    return torch.cat(outputs)


def main():
    torch.manual_seed(0)
    data = [(torch.randn(8, 3), torch.randn(8, 1)) for _ in range(12)]
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(2):
        model.train()
        for x, y in data:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
        print(evaluate(model, data).shape)


main()
