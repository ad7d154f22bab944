"""Clears that overwrite the gradient's values: the tensor stays, its version counter moves."""
import torch
from torch import nn

torch.manual_seed(0)
DATA = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(5)]


def fresh():
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    return model, torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


def zero_():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            p.grad.zero_()


def zero_if_there():
    model, optimizer = fresh()
    for x, y in DATA:
        for p in model.parameters():
            if p.grad is not None:
                p.grad.detach_()
                p.grad.zero_()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


def fill_():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            p.grad.fill_(0)


def mul_():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            p.grad.mul_(0)


def times_equals():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            p.grad *= 0


def slice_assignment():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            p.grad[...] = 0


def colon_assignment():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            p.grad[:] = 0.0


def copy_zeros():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            p.grad.copy_(torch.zeros_like(p))


def foreach_zero():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        torch._foreach_zero_([p.grad for p in model.parameters()])


def function_zero():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            torch.zero_(p.grad)


def out_argument():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            torch.mul(p.grad, 0, out=p.grad)


def subtract_itself():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            p.grad.sub_(p.grad)


zero_()
zero_if_there()
fill_()
mul_()
times_equals()
slice_assignment()
colon_assignment()
copy_zeros()
foreach_zero()
function_zero()
out_argument()
subtract_itself()
