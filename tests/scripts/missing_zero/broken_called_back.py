import torch
from torch import nn


class Learner:
    def __init__(self, features):
        self.model = nn.Linear(features, 1)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.01)

    def update(self, x, y):
        loss = nn.functional.mse_loss(self.model(x), y)
        loss.backward()  # ZG101 lint watch
        self.opt.step()
        return loss.item()


torch.manual_seed(0)
learner = Learner(4)
callbacks = {"batch": learner.update}
for step in range(6):
    x = torch.randn(8, 4)
    print(callbacks["batch"](x, x.sum(1, keepdim=True)))
