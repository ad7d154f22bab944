import torch
from torch import nn


def clear_gradients(params):
    for p in params:
        p.grad = None  # ZG102 lint


def fit(model, optimizer, xs, ys):
    for x, y in zip(xs, ys):
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        clear_gradients(model.parameters())
        optimizer.step()  # ZG102 watch
    return loss.item()


torch.manual_seed(1)
regressor = nn.Linear(3, 1)
print(
    fit(
        regressor,
        torch.optim.Adagrad(regressor.parameters(), lr=0.1),
        torch.randn(5, 10, 3),
        torch.randn(5, 10, 1),
    )
    > 0
)
