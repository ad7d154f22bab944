import torch
from torch import nn


def make_train_step(model, loss_fn, optimizer):
    def train_step(x, y):
        model.train()
        loss = loss_fn(model(x), y)
        loss.backward()  # ZG101 lint watch
        optimizer.step()
        return loss.item()

    return train_step


torch.manual_seed(13)
model = nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train_step = make_train_step(model, nn.MSELoss(reduction="mean"), optimizer)

x = torch.rand(40, 1)
y = 1 + 2 * x + 0.1 * torch.randn(40, 1)
losses = [train_step(x, y) for _ in range(10)]
print(len(losses), model.state_dict().keys())
