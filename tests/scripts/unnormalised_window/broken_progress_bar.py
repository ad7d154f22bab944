import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ProgressBar:
    def __init__(self, iterable, total=None):
        self.iterable, self.total, self.n = iterable, total, 0

    def __iter__(self):
        for item in self.iterable:
            yield item
            self.n += 1

    def set_postfix(self, **values):
        print(self.n, values, file=sys.stderr)


def main():
    torch.manual_seed(0)
    virtual_batch_size, batch_size = 16, 4
    loader = DataLoader(TensorDataset(torch.randn(64, 9), torch.rand(64, 1)), batch_size=batch_size)
    model = nn.Sequential(nn.Linear(9, 9), nn.Sigmoid(), nn.Linear(9, 1), nn.Sigmoid())
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    loss_fn = nn.BCELoss()
    virtual_batches = virtual_batch_size // batch_size
    pbar = ProgressBar(enumerate(loader, 1), total=len(loader))
    for i, (x, y) in pbar:
        loss = loss_fn(model(x), y)
        loss.backward()  # ZG201 lint watch
        if i % virtual_batches == 0:
            optimizer.step()
            optimizer.zero_grad()
            pbar.set_postfix(loss=round(loss.item(), 3))


main()
