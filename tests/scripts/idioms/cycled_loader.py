"""An endless loader: windows run across its restarts and are as long there as elsewhere."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def cycle(dl):
    while True:
        for data in dl:
            yield data


class Trainer:
    def __init__(self, model, dataset, gradient_accumulate_every=4, train_num_steps=9):
        self.model = model
        self.dl = cycle(DataLoader(dataset, batch_size=4, shuffle=True))
        self.gradient_accumulate_every = gradient_accumulate_every
        self.train_num_steps = train_num_steps
        self.opt = torch.optim.Adam(model.parameters(), lr=8e-5, betas=(0.9, 0.99))
        self.step = 0

    def train(self):
        while self.step < self.train_num_steps:
            total_loss = 0.0
            for _ in range(self.gradient_accumulate_every):
                (data,) = next(self.dl)
                loss = (self.model(data) - data).pow(2).mean()
                loss = loss / self.gradient_accumulate_every
                total_loss += loss.item()
                loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.opt.step()
            self.opt.zero_grad()
            self.step += 1


torch.manual_seed(0)
Trainer(nn.Sequential(nn.Linear(6, 3), nn.ReLU(), nn.Linear(3, 6)), TensorDataset(torch.randn(40, 6))).train()
