import torch
from lightning.fabric import Fabric
from torch import nn


def main():
    fabric = Fabric(accelerator="cpu", devices=1)
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    model, optimizer = fabric.setup(model, optimizer)
    for _ in range(8):
        x = torch.randn(8, 4)
        loss = nn.functional.mse_loss(model(x), x.mean(1, keepdim=True))
        fabric.backward(loss)  # ZG101 lint watch
        optimizer.step()


main()
