"""Models, optimizers and loops that the engine's tests compare it with."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import nn, optim
from torch.nn.functional import mse_loss

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor
    from torch.optim import Optimizer

Factory = "Callable[[Any], Optimizer]"

OPTIMIZERS: dict[str, Callable[[Any], Optimizer]] = {
    "sgd": partial(optim.SGD, lr=0.1),
    "sgd-foreach": partial(optim.SGD, lr=0.1, foreach=True),
    "sgd-fused": partial(optim.SGD, lr=0.1, fused=True),
    "momentum": partial(optim.SGD, lr=0.1, momentum=0.9),
    "momentum-fused": partial(optim.SGD, lr=0.1, momentum=0.9, fused=True),
    "adam": partial(optim.Adam, lr=0.01),
    "adam-foreach": partial(optim.Adam, lr=0.01, foreach=True),
    "adam-fused": partial(optim.Adam, lr=0.01, fused=True),
    "adamw": partial(optim.AdamW, lr=0.01),
    "adamw-foreach": partial(optim.AdamW, lr=0.01, foreach=True),
    "adamw-fused": partial(optim.AdamW, lr=0.01, fused=True),
    "adagrad": partial(optim.Adagrad, lr=0.01),
    "adagrad-foreach": partial(optim.Adagrad, lr=0.01, foreach=True),
    "adagrad-fused": partial(optim.Adagrad, lr=0.01, fused=True),
    "rmsprop": partial(optim.RMSprop, lr=0.01),
    "rmsprop-foreach": partial(optim.RMSprop, lr=0.01, foreach=True),
    "nadam": partial(optim.NAdam, lr=0.01),
    "nadam-foreach": partial(optim.NAdam, lr=0.01, foreach=True),
    "adamax": partial(optim.Adamax, lr=0.01),
    "radam": partial(optim.RAdam, lr=0.01),
}
"""Every kind of kernel that a step can end in."""

FUSED = [name for name in OPTIMIZERS if name.endswith("-fused")]
NOT_FUSED = [name for name in OPTIMIZERS if not name.endswith("-fused")]


def mlp(dtype: torch.dtype = torch.float32, seed: int = 0) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2)).to(dtype)


def batch(size: int, seed: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(size, 3, generator=generator), torch.randn(size, 2, generator=generator)


def square(model: nn.Module, size: int, seed: int, reduction: str = "mean") -> Tensor:
    """A loss whose mean is over samples: the sum of squares, divided or not."""
    dtype = next(model.parameters()).dtype
    inputs, targets = (tensor.to(dtype) for tensor in batch(size, seed))
    total: Tensor = (model(inputs) - targets).square().sum()
    return total / size if reduction == "mean" else total


def mean_square(model: nn.Module, size: int, seed: int) -> Tensor:
    inputs, targets = batch(size, seed)
    return mse_loss(model(inputs), targets)


def true_gradient(model: nn.Module, samples: Sequence[tuple[int, int]]) -> list[Tensor]:
    """The fp64 gradient of the mean over all samples at once, at the model's parameters now."""
    twin = mlp(torch.float64)
    twin.load_state_dict({name: value.double() for name, value in model.state_dict().items()})
    pairs = [batch(size, seed) for size, seed in samples]
    inputs = torch.cat([inputs for inputs, _ in pairs]).double()
    targets = torch.cat([targets for _, targets in pairs]).double()
    ((twin(inputs) - targets).square().sum() / len(inputs)).backward()
    return [parameter.grad for parameter in twin.parameters() if parameter.grad is not None]


def flat(tensors: Sequence[Tensor | None]) -> Tensor:
    return torch.cat(
        [tensor.detach().double().flatten() for tensor in tensors if tensor is not None]
    )


ROUND_OFF = 256 * 2.0**-24
"""How far an fp32 gradient of `mlp` may lie from the truth, relative to `uncancelled_norm`.

A term of it passes 4 roundings in the first layer, 4 in tanh, 6 in the second, 7 on its way into
the loss and through the weights of its micro-batch, 30 in the backward with tanh's slope, and up
to 17 sums over samples, pieces and micro-batches: 70. A clip doubles that, for the norm has the
same error, and adds some 40 of its own."""


def uncancelled_norm(model: nn.Module, samples: Sequence[tuple[int, int]]) -> float:
    """What the gradient's norm would be if no terms cancelled: what roundings are relative to.

    Weights, inputs and targets are made positive, and tanh, which is below its argument and no
    steeper, is left out.
    """
    twin = nn.Sequential(nn.Linear(3, 5), nn.Identity(), nn.Linear(5, 2)).double()
    twin.load_state_dict({name: value.double().abs() for name, value in model.state_dict().items()})
    pairs = [batch(size, seed) for size, seed in samples]
    inputs = torch.cat([inputs for inputs, _ in pairs]).double().abs()
    targets = torch.cat([targets for _, targets in pairs]).double().abs()
    ((twin(inputs) + targets).square().sum() / len(inputs)).backward()
    return float(flat([parameter.grad for parameter in twin.parameters()]).norm())


def distance(actual: Sequence[Tensor | None], truth: Sequence[Tensor]) -> float:
    return float((flat(actual) - flat(truth)).norm())


def relative_error(actual: Sequence[Tensor | None], truth: Sequence[Tensor]) -> float:
    return distance(actual, truth) / float(flat(truth).norm())


def clipped(grads: Sequence[Tensor], limit: float | None) -> list[Tensor]:
    if limit is None:
        return list(grads)
    return [grad * min(1.0, limit / float(flat(grads).norm())) for grad in grads]


def parameters_of(model: nn.Module) -> list[Tensor]:
    return [parameter.detach().clone() for parameter in model.parameters()]


def same(first: nn.Module, second: nn.Module) -> bool:
    return all(
        torch.equal(one, other)
        for one, other in zip(first.parameters(), second.parameters(), strict=True)
    )
