"""Clears that put None or a tensor of zeros in the place of the gradient."""
import torch
from torch import nn

torch.manual_seed(0)
DATA = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(5)]


def fresh():
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    return model, torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


def none():
    model, optimizer = fresh()
    for x, y in DATA:
        for p in model.parameters():
            p.grad = None
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


def deleted():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            del p.grad


def by_setattr():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            setattr(p, "grad", None)


def over_groups():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for group in optimizer.param_groups:
            for p in group["params"]:
                p.grad = None


def zeros_like():
    model, optimizer = fresh()
    for x, y in DATA:
        for p in model.parameters():
            p.grad = torch.zeros_like(p)
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


def new_zeros():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for name, p in model.named_parameters():
            p.grad = p.new_zeros(p.shape)


def times_zero():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            p.grad = p.grad * 0


def data_is_zeros():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            p.grad.data = torch.zeros_like(p.grad.data)


def set_to_zeros():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            p.grad.set_(torch.zeros_like(p.grad))


def named_tensors():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        model[0].weight.grad = model[0].bias.grad = None
        model[2].weight.grad, model[2].bias.grad = None, None


none()
deleted()
by_setattr()
over_groups()
zeros_like()
new_zeros()
times_zero()
data_is_zeros()
set_to_zeros()
named_tensors()
