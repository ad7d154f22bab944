import torch
from torch import nn


class Learner:
    def __init__(self, model, lr=1e-2):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)

    def loss(self, x, y):
        loss = nn.functional.cross_entropy(self.model(x), y)
        if self.model.training:
            loss.backward(retain_graph=True)
        return loss

    def fit(self, batches):
        for x, y in batches:
            self.opt.zero_grad()
            loss = self.loss(x, y)
            loss.backward()  # ZG603 lint watch
            self.opt.step()


torch.manual_seed(0)
batches = [(torch.randn(8, 5), torch.randint(0, 3, (8,))) for _ in range(6)]
Learner(nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))).fit(batches)
