import torch
from torch import nn


class Guided:
    """Evaluation-time adaptation: everything is under no_grad except the few tuning steps."""

    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)

    @torch.enable_grad()
    def adapt(self, x):
        loss = -(self.model(x).softmax(1) * self.model(x).log_softmax(1)).sum(1).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    @torch.no_grad()
    def predict(self, x):
        self.adapt(x)
        return self.model(x).argmax(1)


torch.manual_seed(0)
guided = Guided(nn.Sequential(nn.BatchNorm1d(5), nn.Linear(5, 3)))
counts = sum(torch.bincount(guided.predict(torch.randn(8, 5)), minlength=3) for _ in range(5))
print(counts.sum().item())
