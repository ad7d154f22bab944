import argparse

import torch
from torch import nn
from torch.optim import lr_scheduler


def train_one_epoch(model, batches, optimizer, lr_schedule, args):
    optimizer.zero_grad()
    for step, (x, y) in enumerate(batches):
        loss = nn.functional.cross_entropy(model(x), y)
        if args.grad_accum > 1:
            loss = loss / args.grad_accum
        loss.backward()
        if (step + 1) % args.grad_accum == 0:
            optimizer.step()
            optimizer.zero_grad()
        lr_schedule.step()  # ZG207 lint watch


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--grad_accum", type=int, default=3)
    parser.add_argument("--warmup_updates", type=int, default=8)
    args = parser.parse_args()
    torch.manual_seed(0)
    net = nn.Linear(5, 4)
    adam = torch.optim.Adam(net.parameters(), lr=1e-2)
    schedule = lr_scheduler.LinearLR(adam, start_factor=0.1, total_iters=args.warmup_updates)
    data = [(torch.randn(6, 5), torch.randint(0, 4, (6,))) for _ in range(12)]
    for epoch in range(2):
        train_one_epoch(net, data, adam, schedule, args)
    print(schedule.get_last_lr())
