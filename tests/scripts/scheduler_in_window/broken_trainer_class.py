import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def linear_warmup(steps):
    return lambda step: min(1.0, (step + 1) / steps)


class Trainer:
    def __init__(self, model, accumulate_every=2, warmup=8):
        self.model = model
        self.accumulate_every = accumulate_every
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        self.lr_scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, linear_warmup(warmup))

    def train_step(self, index, x, y):
        loss = nn.functional.cross_entropy(self.model(x), y)
        (loss / self.accumulate_every).backward()
        self.lr_scheduler.step()  # ZG207 lint watch
        if (index + 1) % self.accumulate_every == 0:
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.optimizer.zero_grad()
        return loss.item()

    def fit(self, loader):
        for index, (x, y) in enumerate(loader):
            value = self.train_step(index, x, y)
        return value


torch.manual_seed(0)
data = TensorDataset(torch.randint(0, 8, (32, 3)), torch.randint(0, 4, (32,)))
net = nn.Sequential(nn.Embedding(8, 4), nn.Flatten(), nn.Linear(12, 4))
print(round(Trainer(net).fit(DataLoader(data, batch_size=4)), 3))
