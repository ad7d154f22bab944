import torch
from torch import nn, optim


class Fitter:
    def __init__(self, net):
        self.net = net
        self.optim = optim.Adagrad(net.parameters(), lr=1e-2)  # ZG702 lint watch

    def __call__(self, x, y):
        self.optim.zero_grad()
        loss = nn.functional.l1_loss(self.net(x), y)
        loss.backward()
        self.optim.step()
        return loss.item()


torch.manual_seed(0)
fitter = Fitter(nn.Linear(3, 1))
print([round(fitter(torch.randn(5, 3), torch.randn(5, 1)), 2) for _ in range(4)])
