import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Engine:
    def __init__(self, model, window):
        self.model, self.window = model, window
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.items = 0

    def backward(self, x, y):
        loss = nn.functional.mse_loss(self.model(x), y) * len(x) / 16
        loss.backward()
        self.items += len(x)

    def step(self):
        for p in self.model.parameters():
            p.grad.mul_(16 / self.items)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.items = 0


torch.manual_seed(0)
engine = Engine(nn.Linear(3, 1), window=3)
for i, (x, y) in enumerate(DataLoader(TensorDataset(torch.randn(33, 3), torch.randn(33, 1)), batch_size=4)):
    engine.backward(x, y)
    if (i + 1) % engine.window == 0:
        engine.step()
print("exact")
