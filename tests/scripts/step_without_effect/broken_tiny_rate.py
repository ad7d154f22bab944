import argparse

import torch
from torch import nn


class Trainer:
    def __init__(self, args):
        self.model = nn.Embedding(16, 4)
        tokens = args.batch * args.length * args.steps
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=args.lr / tokens ** 3)
        self.args = args

    def train(self):
        for _ in range(self.args.steps):
            tokens = torch.randint(0, 16, (self.args.batch, self.args.length))
            self.optimizer.zero_grad()
            loss = (self.model(tokens).sum(-1) - 1).square().mean()
            loss.backward()
            self.optimizer.step()  # ZG308 watch
        return loss.item()


parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--batch", type=int, default=4)
parser.add_argument("--length", type=int, default=16)
parser.add_argument("--steps", type=int, default=10)
torch.manual_seed(0)
print(Trainer(parser.parse_args()).train())
