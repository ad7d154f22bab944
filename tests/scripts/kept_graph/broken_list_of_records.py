import torch
from torch import nn


def train(model, batches):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    history = []
    for i, (x, y) in enumerate(batches):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        history.append({"step": i, "loss": loss})  # ZG602 lint watch
    return history


torch.manual_seed(0)
data = [(torch.randn(8, 3), torch.randn(8, 1)) for _ in range(24)]
print(len(train(nn.Linear(3, 1), data)))
