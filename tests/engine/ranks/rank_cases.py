"""Trainings on one rank, and the gradient of the whole batch that they are compared with."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from sharding import fully_shard
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel

import zerograd
from zerograd.errors import ZerogradError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

ROUND_OFF = 2.0**-24
"""One fp32 rounding, relative to the weights. Trainings that are compared with the truth run in
fp64: what their own roundings add up to stays far below it, on every CPU."""

Sizes = "Sequence[Sequence[int]]"
"""Of each rank, the sizes of its micro-batches."""


def net(dtype: torch.dtype = torch.float64, hidden: int = 5) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, hidden), nn.Tanh(), nn.Linear(hidden, 2)).to(dtype)


def batch(rank: int, index: int, size: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1000 * rank + index)
    return torch.randn(size, 3, generator=generator), torch.randn(size, 2, generator=generator)


def mean_loss(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    parameter = next(model.parameters())
    outputs = model(inputs.to(parameter.dtype))
    # 16-bit outputs are compared in fp32, as targets are: promotion does that, and keeps fp64.
    loss: Tensor = (outputs - targets).square().sum() / max(len(targets), 1)
    return loss


def replicas(dtype: torch.dtype = torch.float64, **options: Any) -> DistributedDataParallel:
    return DistributedDataParallel(net(dtype), **options)


def shards(dtype: torch.dtype = torch.float64, *, mesh: Any = None) -> Any:
    model = net(dtype)
    mesh = mesh or init_device_mesh("cpu", (dist.get_world_size(),))
    fully_shard(model[0], mesh=mesh)
    fully_shard(model, mesh=mesh)
    return model


MODELS: dict[str, Callable[..., Any]] = {"ddp": replicas, "fsdp": shards}


def whole(tensor: Tensor) -> Tensor:
    return (tensor.full_tensor() if isinstance(tensor, DTensor) else tensor).detach().clone()


def weights(model: nn.Module) -> list[Tensor]:
    return [whole(parameter) for parameter in model.parameters()]


def flat(tensors: Sequence[Tensor]) -> Tensor:
    return torch.cat([tensor.double().flatten() for tensor in tensors])


def same_everywhere(model: nn.Module) -> bool:
    """Whether all ranks hold the same bits."""
    mine = flat(weights(model))
    every = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(every, mine)
    return all(torch.equal(one, mine) for one in every)


def true_steps(
    sizes: Any, accumulate: int, clip: float | None = None, *, tail: str = "step"
) -> Tensor:
    """The weights after plain fp64 steps on the whole batch of each window, SGD at 0.1."""
    longest = max(map(len, sizes))
    windows = -(-longest // accumulate) if tail == "step" else longest // accumulate
    return true_windows(sizes, [accumulate * window for window in range(windows + 1)], clip)


def true_windows(
    sizes: Any, ends: Sequence[int], clip: float | None = None, *, hidden: int = 5
) -> Tensor:
    """The same for windows that end at these micro-batches."""
    model = net(torch.float64, hidden)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for begin, end in itertools.pairwise(ends):
        pairs = [
            batch(rank, index, own[index])
            for rank, own in enumerate(sizes)
            for index in range(begin, end)
            if index < len(own) and own[index]
        ]
        inputs = torch.cat([one for one, _ in pairs]).double()
        targets = torch.cat([other for _, other in pairs]).double()
        optimizer.zero_grad()
        ((model(inputs) - targets).square().sum() / len(targets)).backward()
        if clip is not None:
            limit_norm(model, clip)
        optimizer.step()
    return flat(weights(model))


def limit_norm(model: nn.Module, limit: float) -> None:
    """Clip exactly: torch's `clip_grad_norm_` divides by norm + 1e-6."""
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    torch._foreach_mul_(grads, min(1.0, limit / float(flat(grads).norm())))


class Loader:
    """The micro-batches of one rank."""

    def __init__(self, sizes: Sequence[int], length: int | None = None, first: int = 0) -> None:
        self._sizes = sizes
        self._first = first
        self._length = len(sizes) if length is None else length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Any:
        rank = dist.get_rank()
        numbered = enumerate(self._sizes, self._first)
        return iter([batch(rank, index, size) for index, size in numbered])


def train(kind: str, sizes: Any, accumulate: int, wrap: Any = None, **options: Any) -> Any:
    """One epoch; returns the model and the engine."""
    model = MODELS[kind](**(wrap or {}))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer, model=model, accumulate=accumulate, **options)
    for inputs, targets in gradients.batches(Loader(sizes[dist.get_rank()])):
        loss = mean_loss(model, inputs, targets)
        gradients.backward(loss, items=len(targets))
    return model, gradients


def error_of(
    kind: str, sizes: Any, accumulate: int, wrap: Any = None, **options: Any
) -> tuple[float, bool]:
    """How far the trained weights are from the truth, and whether the ranks agree."""
    model, _ = train(kind, sizes, accumulate, wrap, **options)
    tail = options.get("tail", "step")
    truth = true_steps(sizes, accumulate, options.get("clip_norm"), tail=tail)
    distance = (flat(weights(model)) - truth).norm() / truth.norm()
    return float(distance), same_everywhere(model)


def refusal(kind: str, sizes: Any, accumulate: int, wrap: Any = None, **options: Any) -> str:
    """What the engine says instead of training."""
    try:
        train(kind, sizes, accumulate, wrap, **options)
    except ZerogradError as error:
        return str(error)
    return "trained"
