import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, loader, accumulation=3):
        self.model, self.loader, self.accumulation = model, loader, accumulation
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

    def train_epoch(self):
        self.optimizer.zero_grad()
        for i, (tokens, labels) in enumerate(self.loader):
            loss = nn.functional.cross_entropy(self.model(tokens), labels) / self.accumulation
            loss.backward()
            if (i + 1) % self.accumulation == 0:
                self.optimizer.step()  # ZG203 lint watch
                self.optimizer.zero_grad()


torch.manual_seed(0)
model = nn.Sequential(nn.EmbeddingBag(10, 4), nn.Linear(4, 2))
data = TensorDataset(torch.randint(0, 10, (40, 3)), torch.randint(0, 2, (40,)))
trainer = Trainer(model, DataLoader(data, batch_size=4))
for epoch in range(2):
    trainer.train_epoch()
print("two epochs")
