"""Two models train as two tasks of one event loop, their backwards and steps interleaved."""

import asyncio

import torch
from torch import nn

torch.manual_seed(0)


async def fit(name, model, optimizer, rounds):
    for _ in range(rounds):
        inputs = torch.randn(8, 4)
        loss = (model(inputs) - inputs.sum(1, keepdim=True)).pow(2).mean()
        await asyncio.sleep(0)
        loss.backward()
        await asyncio.sleep(0)
        optimizer.zero_grad()  # ZG102 watch
        await asyncio.sleep(0)
        optimizer.step()
    return name, loss.item()


async def main():
    models = {name: nn.Linear(4, 1) for name in ("left", "right")}
    runs = [
        fit("left", models["left"], torch.optim.SGD(models["left"].parameters(), 0.05), 12),
        fit("right", models["right"], torch.optim.Adam(models["right"].parameters(), 0.05), 9),
    ]
    for name, loss in await asyncio.gather(*runs):
        print(f"{name} {loss:.4f}")


asyncio.run(main())
