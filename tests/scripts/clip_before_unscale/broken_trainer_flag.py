import argparse

import torch
from torch import nn


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-amp", dest="amp", action="store_false")
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--steps", type=int, default=6)
    return parser.parse_args()


class Trainer:
    def __init__(self, args):
        self.args = args
        self.model = nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, dropout=0.0, batch_first=True)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.scaler = torch.amp.GradScaler("cpu") if args.amp else None

    def step(self, x):
        self.optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.args.amp):
            y = self.model(x)
        loss = nn.functional.mse_loss(y.float(), x)
        if self.scaler is not None:
            self.scaler.scale(loss).backward()
        else:
            loss.backward()
        if self.args.clip > 0:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.args.clip)  # ZG402 lint watch
        if self.scaler is not None:
            self.scaler.step(self.optimizer)
            self.scaler.update()
        else:
            self.optimizer.step()
        return loss.item()


if __name__ == "__main__":
    torch.manual_seed(0)
    arguments = parse_args()
    trainer = Trainer(arguments)
    for i in range(arguments.steps):
        print(i, trainer.step(torch.randn(2, 4, 8)))
