import logging

import torch
from torch import nn

torch._logging.set_logs(all=logging.ERROR)


def main():
    torch.manual_seed(0)
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    @torch.compile(backend="eager")
    def train_step(x, y):
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()  # ZG101 lint watch
        optimizer.step()
        return loss

    for _ in range(6):
        x = torch.randn(8, 8)
        print(f"{train_step(x, x.sum(1, keepdim=True)).item():.4f}")


if __name__ == "__main__":
    main()
