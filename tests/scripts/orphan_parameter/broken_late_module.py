import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Conv2d(1, 4, 3, padding=1)
        self.box = None

    def add_box_branch(self):
        self.box = nn.Conv2d(4, 2, 1)

    def forward(self, x):
        x = torch.relu(self.trunk(x))
        return x.mean(1) if self.box is None else self.box(x)


class Runner:
    def __init__(self):
        self.net = Detector()
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-3)  # ZG304 lint watch
        self.net.add_box_branch()

    def run(self, steps):
        for _ in range(steps):
            self.optimizer.zero_grad()
            out = self.net(torch.rand(2, 1, 6, 6))
            loss = out.square().mean()
            loss.backward()
            self.optimizer.step()
        return loss.item()


torch.manual_seed(0)
print(Runner().run(6))
