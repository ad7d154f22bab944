"""A decorator turns a function that returns a loss into a whole training step."""

import functools

import torch
from torch import nn

torch.manual_seed(0)


def trains(optimizer, *, clip=None):
    def decorate(function):
        @functools.wraps(function)
        def step(*args, **kwargs):
            optimizer.zero_grad()
            loss, *rest = function(*args, **kwargs)
            loss.backward()
            if clip is not None:
                for group in optimizer.param_groups:
                    nn.utils.clip_grad_norm_(group["params"], clip)
            optimizer.step()
            return (loss.item(), *rest)

        return step

    return decorate


encoder, decoder = nn.Linear(8, 2), nn.Linear(2, 8)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)


@trains(optimizer, clip=1.0)
def reconstruct(batch):
    code = encoder(batch)
    return (decoder(code) - batch).square().mean(), code.detach().norm()


for _ in range(30):
    loss, size = reconstruct(torch.randn(16, 8))
print(f"{loss:.3f} {size:.3f}")
