import torch
from torch import nn


class Accumulator:
    def __init__(self, model, every=2, clip=0.5):
        self.model, self.every, self.clip = model, every, clip
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        self.count = 0

    def backward(self, loss):
        (loss / self.every).backward()
        nn.utils.clip_grad_value_(self.model.parameters(), self.clip)  # ZG404 lint watch
        self.count += 1
        if self.count == self.every:
            self.optimizer.step()
            self.optimizer.zero_grad()
            self.count = 0


torch.manual_seed(0)
model = nn.GRU(3, 4, batch_first=True)
accumulator = Accumulator(model)
for step in range(8):
    out, _ = model(torch.randn(2, 6, 3))
    loss = out[:, -1].square().mean()
    accumulator.backward(loss)
print(loss.item())
