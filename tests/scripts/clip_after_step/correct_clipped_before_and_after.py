import torch
from torch import nn


def grad_norm(model):
    return nn.utils.clip_grad_norm_(model.parameters(), 1.0)


def main():
    torch.manual_seed(0)
    model = nn.Linear(4, 4)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(6):
        x = torch.randn(8, 4)
        loss = nn.functional.mse_loss(model(x), x.flip(1))
        opt.zero_grad()
        loss.backward()
        grad_norm(model)
        opt.step()
        print(step, loss.item(), "norm after clipping", grad_norm(model).item())


main()
