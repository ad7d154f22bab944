"""A state machine with `match`: events drive the optimizer."""

import itertools
from dataclasses import dataclass

import torch
from torch import nn

torch.manual_seed(0)


@dataclass
class Deposit:
    inputs: torch.Tensor
    weight: float


@dataclass
class Spend:
    pass


@dataclass
class Log:
    text: str


def script(rounds, window):
    for number in range(rounds):
        for _ in range(window):
            yield Deposit(torch.randn(5, 3), 1 / window)
        yield Spend()
        if number % 5 == 4:
            yield Log(f"round {number}")


model = nn.Linear(3, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for event in itertools.chain(script(10, 2), script(5, 4)):
    match event:
        case Deposit(inputs, weight):
            loss = (model(inputs) - inputs.flip(1)).square().mean()
            (loss * weight).backward()
        case Spend():
            optimizer.step()
            optimizer.zero_grad()
        case Log(text):
            print(text)
