import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(103)


class Trainer:
    def __init__(self, model, loader, accum, max_norm):
        self.model, self.loader, self.accum, self.max_norm = model, loader, accum, max_norm
        self.opt = torch.optim.AdamW(model.parameters(), 1e-3)
        self.pending, self.updates = 0, 0

    def backward(self, loss, last):
        window = self.accum if not last else self.pending + 1
        loss.backward()
        self.pending += 1
        if self.pending == self.accum or last:
            for p in self.model.parameters():
                p.grad.div_(self.pending)
            self.update()

    def update(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        self.opt.step()
        self.opt.zero_grad()
        self.pending = 0
        self.updates += 1

    def fit(self, epochs):
        for _ in range(epochs):
            for i, (x, y) in enumerate(self.loader):
                self.backward(F.cross_entropy(self.model(x), y), i + 1 == len(self.loader))


Trainer(nn.Linear(6, 3), DataLoader(TensorDataset(torch.randn(56, 6), torch.randint(0, 3, (56,))), batch_size=8), 3, 1.0).fit(3)
