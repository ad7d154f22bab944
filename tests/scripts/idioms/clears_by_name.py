"""Clears that call zero_grad, on the optimizer, the module, a list of either, or through a wrapper."""
import functools

import torch
from torch import nn

torch.manual_seed(0)
DATA = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(5)]


def fresh():
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    return model, torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


def optimizer_zero_grad():
    model, optimizer = fresh()
    for x, y in DATA:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


def optimizer_zero_grad_in_place():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)


def module_zero_grad():
    model, optimizer = fresh()
    for x, y in DATA:
        loss = nn.functional.mse_loss(model(x), y)
        model.zero_grad()
        loss.backward()
        optimizer.step()


def module_zero_grad_in_place():
    model, optimizer = fresh()
    for x, y in DATA:
        model.zero_grad(set_to_none=False)
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


def each_child():
    model, optimizer = fresh()
    for x, y in DATA:
        for child in model.children():
            child.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


def list_of_optimizers():
    model, _ = fresh()
    optimizers = [torch.optim.SGD(model[0].parameters(), lr=0.1), torch.optim.Adam(model[2].parameters())]
    for x, y in DATA:
        for optimizer in optimizers:
            optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        for optimizer in optimizers:
            optimizer.step()


def comprehension():
    model, optimizer = fresh()
    for x, y in DATA:
        [o.zero_grad() for o in (optimizer,)]
        nn.functional.mse_loss(model(x), y).backward()
        [o.step() for o in (optimizer,)]


def bound_method():
    model, optimizer = fresh()
    clear = optimizer.zero_grad
    step = functools.partial(optimizer.step)
    for x, y in DATA:
        clear()
        nn.functional.mse_loss(model(x), y).backward()
        step()


def step_then_clear(optimizer):
    optimizer.step()
    optimizer.zero_grad()


def helper():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        step_then_clear(optimizer)


class ClearingSGD(torch.optim.SGD):
    def step(self, closure=None):
        result = super().step(closure)
        self.zero_grad()
        return result


def optimizer_that_clears():
    model, _ = fresh()
    optimizer = ClearingSGD(model.parameters(), lr=0.1)
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


def post_step_hook():
    model, optimizer = fresh()
    optimizer.register_step_post_hook(lambda o, args, kwargs: o.zero_grad())
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


optimizer_zero_grad()
optimizer_zero_grad_in_place()
module_zero_grad()
module_zero_grad_in_place()
each_child()
list_of_optimizers()
comprehension()
bound_method()
helper()
optimizer_that_clears()
post_step_hook()
