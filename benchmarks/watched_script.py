"""A training script as people write it, which writes down what its own steps cost.

Run bare, under `zerograd watch` and under the peers, each in a process of its own. What to measure
is in the environment, because TrainCheck passes no arguments on: WATCHED="CASE;STEPS;ROUNDS;FILE".
"""

import gc
import json
import os
from itertools import pairwise
from pathlib import Path
from time import thread_time

import torch
from watched_loops import CASES

WARMING = 50
"""Steps that are not measured: the first are looked at more closely."""

name, *counts, file = os.environ["WATCHED"].split(";")
steps, rounds = map(int, counts)
torch.set_num_threads(1)
torch.manual_seed(0)
case = CASES[name]
model, inputs = case.model(), case.inputs()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
parameters = list(model.parameters())
warming = min(WARMING, steps * rounds)
times: list[float] = []
gc.disable()
for number in range(warming + steps * rounds):
    if number >= warming and (number - warming) % steps == 0:
        times.append(thread_time())
    if case.by_hand:
        for parameter in parameters:
            parameter.grad = None
    else:
        optimizer.zero_grad()
    loss = model(inputs).square().mean()
    loss.backward()
    optimizer.step()
times.append(thread_time())
Path(file).write_text(json.dumps([end - begin for begin, end in pairwise(times)]), "utf-8")
