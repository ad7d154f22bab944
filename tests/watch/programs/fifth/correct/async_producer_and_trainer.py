"""Batches come through an asyncio queue; the trainer is a coroutine."""

import asyncio

import torch
from torch import nn

torch.manual_seed(0)


async def produce(queue, count):
    for _ in range(count):
        await queue.put((torch.randn(16, 5), torch.randn(16, 1)))
        await asyncio.sleep(0)
    await queue.put(None)


async def train(queue, model, optimizer):
    seen = 0
    while (batch := await queue.get()) is not None:
        inputs, targets = batch
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        await asyncio.sleep(0)
        optimizer.step()
        seen += 1
    return seen


async def main():
    queue = asyncio.Queue(maxsize=2)
    model = nn.Sequential(nn.Linear(5, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    _, seen = await asyncio.gather(produce(queue, 25), train(queue, model, optimizer))
    print("trained on", seen)


asyncio.run(main())
