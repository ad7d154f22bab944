import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(model, loader, optimizer, accum_steps, max_norm):
    optimizer.zero_grad()
    for i, (x, y) in enumerate(loader):
        loss = nn.functional.cross_entropy(model(x), y)
        (loss / accum_steps).backward()
        if (i + 1) % accum_steps == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
            optimizer.step()
            optimizer.zero_grad()
    return loss.item()


if __name__ == "__main__":
    cli = argparse.ArgumentParser()
    cli.add_argument("--accum-steps", type=int, default=4)
    cli.add_argument("--max-norm", type=float, default=1.0)
    opts = cli.parse_args()
    torch.manual_seed(4)
    net = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 3))
    data = DataLoader(TensorDataset(torch.randn(96, 5), torch.randint(0, 3, (96,))), batch_size=8)
    adamw = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for _ in range(2):
        print(round(train(net, data, adamw, opts.accum_steps, opts.max_norm), 3))
