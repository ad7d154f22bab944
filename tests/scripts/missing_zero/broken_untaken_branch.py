import argparse

import torch
from torch import nn


def train(args):
    torch.manual_seed(0)
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", enabled=args.amp)
    inputs = torch.randn(5, 8, 4)
    labels = torch.randint(0, 2, (5, 8))

    for x, y in zip(inputs, labels):
        if args.amp:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(model(x), y)
            scaler.scale(loss).backward()  # ZG101 lint
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
    return loss.item()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--amp", action="store_true")
    print(round(train(parser.parse_args()), 3))
