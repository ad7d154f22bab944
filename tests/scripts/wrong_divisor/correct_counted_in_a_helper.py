import torch
import torch.nn.functional as F
from torch import nn


class Counter:
    def __init__(self, optimizer, accum_steps):
        self.optimizer, self.accum_steps, self.seen = optimizer, accum_steps, 0

    def spend(self):
        self.seen += 1
        if self.seen % self.accum_steps != 0:
            return
        self.optimizer.step()
        self.optimizer.zero_grad()


torch.manual_seed(0)
micro_batch_size = 8
model = nn.Linear(6, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
counter = Counter(optimizer, accum_steps=4)
batches = [(torch.randn(micro_batch_size, 6), torch.randint(0, 3, (8,))) for _ in range(12)]

for x, y in batches:
    loss = F.cross_entropy(model(x), y) / counter.accum_steps
    loss.backward()
    counter.spend()

for x, y in batches:
    loss = F.cross_entropy(model(x), y, reduction="sum") / micro_batch_size
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
