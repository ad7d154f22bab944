import torch
from torch import nn


class Learner:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)  # ZG303 lint watch

    def learn(self, x, y):
        err = nn.functional.l1_loss(self.net(x), y)
        err.backward()
        for group in self.opt.param_groups:
            for p in group["params"]:
                p.grad = None
        return err.item()


torch.manual_seed(6)
learner = Learner(nn.Linear(3, 1))
print([learner.learn(torch.randn(9, 3), torch.randn(9, 1)) for _ in range(6)])
