import torch
from torch import nn


class FloatAccumulator:
    def __init__(self, parameters):
        self.parameters = list(parameters)
        self.sums = [torch.zeros_like(p, dtype=torch.float32) for p in self.parameters]

    def collect(self):
        for total, p in zip(self.sums, self.parameters):
            total.add_(p.grad)
            p.grad = None

    def release(self):
        for total, p in zip(self.sums, self.parameters):
            p.grad = total.to(p.dtype)
            total.zero_()


torch.manual_seed(0)
model = nn.Linear(6, 1).to(torch.bfloat16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
accumulator = FloatAccumulator(model.parameters())

for step in range(3):
    for _ in range(24):
        loss = nn.functional.l1_loss(model(torch.randn(3, 6).bfloat16()), torch.zeros(3, 1).bfloat16())
        (loss / 24).backward()
        accumulator.collect()
    accumulator.release()
    optimizer.step()
    optimizer.zero_grad()
print("float sums")
