"""Clears that move neither the tensor nor its version: data, NumPy, DLPack, the storage, one flat buffer."""
import ctypes

import torch
from torch import nn

torch.manual_seed(0)
DATA = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(5)]


def fresh():
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    return model, torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


def data_zero():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            p.grad.data.zero_()


def data_fill():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            p.grad.data.fill_(0.0)


def numpy():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            p.grad.numpy()[...] = 0


def dlpack():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            torch.from_dlpack(p.grad).zero_()


def storage():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            p.grad.untyped_storage().fill_(0)


def memset():
    model, optimizer = fresh()
    for x, y in DATA:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        for p in model.parameters():
            ctypes.memset(p.grad.data_ptr(), 0, p.grad.nbytes)


def flat_buffer():
    model, optimizer = fresh()
    parameters = list(model.parameters())
    flat = torch.zeros(sum(p.numel() for p in parameters))
    views = flat.split([p.numel() for p in parameters])
    for p, view in zip(parameters, views):
        p.grad = view.view_as(p)
    for x, y in DATA:
        flat.zero_()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


data_zero()
data_fill()
numpy()
dlpack()
storage()
memset()
flat_buffer()
