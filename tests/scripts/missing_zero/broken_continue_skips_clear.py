import torch
from torch import nn


def train(model, batches, log_every):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    history = []
    for step, (x, y) in enumerate(batches):
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()  # ZG101 lint watch
        optimizer.step()
        if step % log_every:
            continue
        history.append(loss.item())
        optimizer.zero_grad()
    return history


torch.manual_seed(0)
batches = [(torch.randn(8, 3), torch.randn(8, 1)) for _ in range(9)]
print(len(train(nn.Linear(3, 1), batches, log_every=3)))
