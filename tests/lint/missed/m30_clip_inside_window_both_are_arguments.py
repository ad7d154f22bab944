# expected: clip-inside-window at the clip (ORCA src/main.py:178); today: silent
import torch
def train_one_epoch(args, model, optimizer, scheduler, loader, loss):
    model.train()
    train_loss = 0
    optimizer.zero_grad()
    for i, data in enumerate(loader):
        x, y = data
        out = model(x)
        l = loss(out, y)
        l.backward()
        if args.clip > 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        if (i + 1) % args.accum == 0:
            optimizer.step()
            optimizer.zero_grad()
        train_loss += l.item()
    return train_loss
