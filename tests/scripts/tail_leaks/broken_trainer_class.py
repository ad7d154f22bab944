import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, dataset, batch_size=4, grad_accum_steps=3, num_epochs=3):
        self.model = model
        self.loader = DataLoader(dataset, batch_size=batch_size)
        self.grad_accum_steps = grad_accum_steps
        self.num_epochs = num_epochs
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def train(self):
        for _ in range(self.num_epochs):
            self._train_epoch()

    def _train_epoch(self):
        for batch_idx, (x, y) in enumerate(self.loader, start=1):
            loss = nn.functional.mse_loss(self.model(x), y)
            (loss / self.grad_accum_steps).backward()
            if batch_idx % self.grad_accum_steps == 0:
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.optimizer.step()  # ZG202 lint watch
                self.optimizer.zero_grad()


torch.manual_seed(1)
trainer = Trainer(nn.Linear(6, 2), TensorDataset(torch.randn(28, 6), torch.randn(28, 2)))
trainer.train()
print("trained")
