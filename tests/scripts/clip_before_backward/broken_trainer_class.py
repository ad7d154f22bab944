import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, loader, max_norm=0.1):
        self.model = model
        self.loader = loader
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def clip_gradients(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)  # ZG403 lint watch

    def train_epoch(self):
        for xb, yb in self.loader:
            loss = nn.functional.l1_loss(self.model(xb), yb)
            self.optimizer.zero_grad()
            self.clip_gradients()
            loss.backward()
            self.optimizer.step()
        return loss.item()


torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(20, 3), torch.randn(20, 1)), batch_size=5)
trainer = Trainer(nn.Linear(3, 1), loader)
for epoch in range(3):
    print(epoch, trainer.train_epoch())
