import argparse

import torch
from torch import nn


def train(args):
    torch.manual_seed(args.seed)
    table = nn.Embedding(50, 4)
    optimizer = torch.optim.SGD(table.parameters(), lr=0.5)
    for it in range(args.iters):
        pos, neg = torch.randint(0, 50, (2, 8))
        score = (table(pos) * table(neg)).sum(1)
        loss = nn.functional.softplus(score).mean()
        (loss / args.update_every).backward()
        if not it % args.update_every:  # ZG205 lint watch
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
    return loss.item()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--iters", type=int, default=13)
    parser.add_argument("--update-every", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    print(round(train(parser.parse_args()), 3))
