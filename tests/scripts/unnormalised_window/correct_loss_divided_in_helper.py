import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Accumulator:
    def __init__(self, optimizer, steps):
        self.optimizer, self.steps, self.seen = optimizer, steps, 0

    def backward(self, loss):
        (loss / self.steps).backward()
        self.seen += 1

    def ready(self):
        return self.seen == self.steps

    def apply(self):
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.seen = 0


torch.manual_seed(0)
net = nn.Linear(4, 2)
accumulator = Accumulator(torch.optim.SGD(net.parameters(), lr=0.1), steps=3)
for x, y in DataLoader(TensorDataset(torch.randn(36, 4), torch.randint(0, 2, (36,))), batch_size=4):
    accumulator.backward(nn.functional.cross_entropy(net(x), y))
    if accumulator.ready():
        accumulator.apply()
print("helper divides")
