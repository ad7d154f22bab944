import torch
from torch import nn


def warmup(step, warmup_steps=100):
    return min(1, step // warmup_steps)


def main():
    torch.manual_seed(0)
    model = nn.GRU(3, 5, batch_first=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, warmup)
    for step in range(12):
        out, _ = model(torch.randn(4, 6, 3))
        loss = out[:, -1].square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # ZG308 watch
        scheduler.step()
    print(loss.item(), scheduler.get_last_lr())


main()
