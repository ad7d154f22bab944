from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class TrainArgs:
    lr: float = 1e-3
    update_freq: int = 2
    epochs: int = 2


class Trainer:
    def __init__(self, model, criterion, args):
        self.model, self.criterion, self.args = model, criterion, args
        self.optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)

    def train_step(self, sample):
        source, target = sample
        loss = self.criterion(self.model(source), target)
        loss.backward()  # ZG201 lint watch
        return loss.item()

    def train_epoch(self, loader):
        logs = []
        for i, sample in enumerate(loader, start=1):
            logs.append(self.train_step(sample))
            if i % self.args.update_freq == 0:
                self.optimizer.step()
                self.optimizer.zero_grad()
        return sum(logs) / len(logs)


def main():
    torch.manual_seed(0)
    args = TrainArgs()
    data = TensorDataset(torch.randint(0, 9, (32, 4)), torch.randn(32, 1))
    model = nn.Sequential(nn.EmbeddingBag(9, 5), nn.Linear(5, 1))
    trainer = Trainer(model, nn.MSELoss(), args)
    for epoch in range(args.epochs):
        print(epoch, round(trainer.train_epoch(DataLoader(data, batch_size=4)), 3))


if __name__ == "__main__":
    main()
