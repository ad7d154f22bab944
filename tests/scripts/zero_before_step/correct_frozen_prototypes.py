import torch
from torch import nn

torch.manual_seed(0)
FROZEN_ROUNDS = 2


class Learner:
    def __init__(self, name):
        self.encoder = nn.Linear(3, 4)
        self.prototypes = nn.Linear(4, 5, bias=False)
        self.seen = 0
        self._make_optimizer(name)

    def _groups(self):
        for module in (self.encoder, self.prototypes):
            yield {"params": [parameter for _, parameter in module.named_parameters()]}

    def _make_optimizer(self, name):
        match name:
            case "sgd":
                self.optimizer = torch.optim.SGD(list(self._groups()), lr=0.1)
            case _:
                raise ValueError(name)

    def train(self, batches):
        for x in batches:
            self.optimizer.zero_grad()
            loss = self.prototypes(self.encoder(x)).logsumexp(1).mean()
            loss.backward()
            if self.seen < FROZEN_ROUNDS:
                for parameter in self.prototypes.parameters():
                    parameter.grad = None
            self.optimizer.step()
            self.seen += 1


Learner("sgd").train(torch.randn(5, 6, 3))
