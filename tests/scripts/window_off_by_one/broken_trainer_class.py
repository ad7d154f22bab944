import torch
from torch import nn


class Trainer:
    def __init__(self, model, lr, accumulate):
        self.model = model
        self.accumulate = accumulate
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        self.iteration = 0

    def train_batch(self, x, y):
        loss = nn.functional.mse_loss(self.model(x), y) / self.accumulate
        loss.backward()
        if self.iteration % self.accumulate == 0:  # ZG205 lint watch
            self.optimizer.step()
            self.optimizer.zero_grad()
        self.iteration += 1
        return loss.item()

    def fit(self, batches):
        return [self.train_batch(x, y) for x, y in batches]


torch.manual_seed(0)
trainer = Trainer(nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 1)), 1e-3, 3)
print(len(trainer.fit([(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(13)])))
