import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)  # ZG303 watch
        self.loss_fn = nn.MSELoss()

    def fit(self, batches):
        for x, y in batches:
            self.optimizer.zero_grad()
            loss = self.loss_fn(self.model(x), y)
            loss.backward()
            self.optimizer.step  # ZG311 lint
        return loss.item()


torch.manual_seed(0)
batches = [(torch.randn(4, 5), torch.randn(4, 1)) for _ in range(6)]
print(f"loss {Trainer(nn.Linear(5, 1)).fit(batches):.3f}")
