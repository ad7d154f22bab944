import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(11)


class Trainer:
    def __init__(self, model, loader, accum):
        self.model, self.loader, self.accum = model, loader, accum
        self.opt = torch.optim.SGD(model.parameters(), 0.1)

    def fit(self, epochs):
        for _ in range(epochs):
            for i, (x, y) in enumerate(self.loader):
                loss = F.cross_entropy(self.model(x), y) / self.accum
                loss.backward()
                if (i + 1) % self.accum == 0:
                    self.opt.step()  # ZG202 watch
                    self.opt.zero_grad()


Trainer(nn.Linear(6, 3), DataLoader(TensorDataset(torch.randn(56, 6), torch.randint(0, 3, (56,))), batch_size=8), 3).fit(4)
