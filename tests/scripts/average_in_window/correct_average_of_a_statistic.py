import torch
from torch import nn

torch.manual_seed(0)
WINDOW = 3


class EMA:
    def __init__(self, beta):
        self.beta, self.value = beta, 0.0

    def update(self, seen):
        self.value = self.beta * self.value + (1 - self.beta) * seen


model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
noise_ema = EMA(beta=0.9)

for _ in range(3):
    for x in torch.randn(WINDOW, 5, 4):
        loss = model(x).pow(2).mean() / WINDOW
        loss.backward()
        noise_ema.update(x.var().item())
    optimizer.step()
    optimizer.zero_grad()
