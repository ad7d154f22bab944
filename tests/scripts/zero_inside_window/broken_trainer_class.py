import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, loader, lr=1e-3, grad_accum=2):
        self.model = model
        self.loader = loader
        self.grad_accum = grad_accum
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.global_step = 0

    def forward_backward(self, batch):
        x, y = batch
        self.opt.zero_grad()  # ZG103 lint watch
        loss = nn.functional.cross_entropy(self.model(x), y) / self.grad_accum
        loss.backward()
        return loss.item() * self.grad_accum

    def train(self):
        for batch in self.loader:
            self.global_step += 1
            loss = self.forward_backward(batch)
            if self.global_step % self.grad_accum == 0:
                self.opt.step()
        return loss


torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(16, 8), nn.Flatten(), nn.Linear(24, 4))
data = TensorDataset(torch.randint(0, 16, (32, 3)), torch.randint(0, 4, (32,)))
print(round(Trainer(model, DataLoader(data, batch_size=4)).train(), 3))
