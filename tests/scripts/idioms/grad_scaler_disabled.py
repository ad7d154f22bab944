"""One loop for both precisions: the scaler is disabled by a flag and then does nothing."""
import argparse

import torch
from torch import nn


def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--amp", action="store_true")
    parser.add_argument("--clip", type=float, default=1.0)
    return parser.parse_args([])


def main():
    args = get_args()
    torch.manual_seed(0)
    model = nn.Linear(5, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", enabled=args.amp)
    for _ in range(8):
        x, y = torch.randn(8, 5), torch.randint(0, 2, (8,))
        with torch.autocast("cpu", enabled=args.amp):
            loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        scaler.step(optimizer)
        scaler.update()


if __name__ == "__main__":
    main()
