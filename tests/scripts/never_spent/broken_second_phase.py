import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(32, 4), torch.randn(32, 1)


def pretrain(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x).backward()
        optimizer.step()


def finetune(model, head):
    optimizer = torch.optim.Adam(head.parameters(), lr=0.1)  # ZG303 lint watch
    for epoch in range(5):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(head(model(x).detach()), y)
        loss.backward()
        print(epoch, loss.item())


body, top = nn.Linear(4, 4), nn.Linear(4, 1)
pretrain(body)
finetune(body, top)
