import torch
from ignite.engine import Engine
from torch import nn


class Experiment:
    def __init__(self):
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 3))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.trainer = Engine(self.train_step)

    def train_step(self, engine, batch):
        x, y = batch
        loss = nn.functional.cross_entropy(self.model(x), y)
        loss.backward()  # ZG101 lint watch
        self.optimizer.step()
        return loss.item()

    def run(self, batches):
        return self.trainer.run(batches, max_epochs=2)


Experiment().run([(torch.randn(4, 5), torch.randint(0, 3, (4,))) for _ in range(6)])
