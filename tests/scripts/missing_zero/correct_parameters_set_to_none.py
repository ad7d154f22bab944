import torch
from torch import nn


class Learner:
    def __init__(self, net, lr):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9, nesterov=True)

    def reset(self):
        for group in self.opt.param_groups:
            for p in group["params"]:
                p.grad = None

    def learn(self, x, y):
        err = nn.functional.l1_loss(self.net(x), y)
        err.backward()
        self.opt.step()
        self.reset()
        return err.item()


torch.manual_seed(6)
learner = Learner(nn.Linear(3, 1), 0.01)
for _ in range(6):
    err = learner.learn(torch.randn(9, 3), torch.randn(9, 1))
print(err > 0)
