import torch
from torch import nn


def main(steps=14, accum=4):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(1, steps + 1):
        x, y = torch.randn(5, 6), torch.randint(0, 2, (5,))
        loss = nn.functional.cross_entropy(model(x), y)
        (loss / accum).backward()
        if step % accum == 0:
            optimizer.step()  # ZG203 lint watch
            optimizer.zero_grad()
    return loss.item()


if __name__ == "__main__":
    print(round(main(), 3))
