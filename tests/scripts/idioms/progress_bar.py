"""Names that look like optimizers and are none: an environment, a profiler, a progress bar, a meter."""
import torch
from torch import nn


class Progress:
    def __init__(self, iterable):
        self.iterable, self.text = iterable, ""

    def __iter__(self):
        yield from self.iterable

    def set_postfix(self, **values):
        self.text = " ".join(f"{k}={v:.3f}" for k, v in values.items())

    def step(self):
        pass


class Options:
    lr, batch_size, steps = 0.01, 8, 12

    def step(self):
        self.steps -= 1


class Environment:
    def step(self, action):
        return torch.randn(4), float(action)


torch.manual_seed(0)
opt, env = Options(), Environment()
model = nn.Linear(4, 1)
solver = torch.optim.SGD(model.parameters(), lr=opt.lr)
bar = Progress(range(opt.steps))
for i in bar:
    state, reward = env.step(i % 2)
    opt.step()
    bar.step()
    loss = (model(state) - reward).square().mean()
    solver.zero_grad()
    loss.backward()
    solver.step()
    bar.set_postfix(loss=loss.item())
