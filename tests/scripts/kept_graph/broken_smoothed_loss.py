import torch
from torch import nn


class Trainer:
    def __init__(self, seed=0):
        torch.manual_seed(seed)
        self.model = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16, batch_first=True)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.smooth = torch.zeros(())

    def step(self, batch):
        loss = nn.functional.mse_loss(self.model(batch), batch.flip(1))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.smooth = 0.98 * self.smooth + 0.02 * loss  # ZG602 lint watch

    def run(self, steps=20):
        for i in range(steps):
            self.step(torch.randn(2, 4, 8))
            if i % 10 == 9:
                print(f"{i}: {self.smooth:.3f}")


Trainer().run()
