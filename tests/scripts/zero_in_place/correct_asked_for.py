import argparse

import torch
from torch import nn


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--set-to-none", action=argparse.BooleanOptionalAction, default=True)
    return parser.parse_args([])


def main(args):
    torch.manual_seed(0)
    model = nn.GRUCell(3, 5)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    for _ in range(6):
        h = torch.zeros(2, 5)
        for _ in range(3):
            h = model(torch.randn(2, 3), h)
        optimizer.zero_grad(set_to_none=args.set_to_none)
        h.square().mean().backward()
        optimizer.step()


main(parse())
