"""Two engines over two wrapped models, one of which learns through the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from rank_cases import batch, flat, same_everywhere, weights
from rank_scenes import said
from sharding import fully_shard
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.nn.functional import softplus
from torch.nn.parallel import DistributedDataParallel

import zerograd

if TYPE_CHECKING:
    from torch import Tensor

MICRO_BATCHES = 8
WINDOWS = (4, 2)
"""Of the discriminator, whose sums lie open while the generator learns; of the generator."""


def two_nets() -> tuple[nn.Module, nn.Module]:
    """A discriminator and a generator, in fp64."""
    torch.manual_seed(0)
    discriminator = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1))
    generator = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 2))
    return discriminator.double(), generator.double()


def wrapped(kind: str, model: nn.Module, **options: Any) -> Any:
    if kind == "ddp":
        return DistributedDataParallel(model, **options)
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    fully_shard(model[0], mesh=mesh)  # type: ignore[index]
    return fully_shard(model, mesh=mesh)


def discriminating(models: Any, rank: int, index: int) -> Any:
    real, false = _pictures(models, rank, index)
    scores = models[0](torch.cat([real, false.detach()]))
    return (softplus(-scores[:4]) + softplus(scores[4:])).mean()


def deceiving(models: Any, rank: int, index: int) -> Any:
    """The generator's loss, through the discriminator."""
    return softplus(-models[0](_pictures(models, rank, index)[1])).mean()


LOSSES = (discriminating, deceiving)


def _pictures(models: Any, rank: int, index: int) -> Any:
    noise, real = batch(rank, index, 4)
    dtype = next(models[1].parameters()).dtype
    return real.to(dtype), models[1](noise.to(dtype))


def by_engines(kind: str, clear: str = "none", **options: Any) -> tuple[str, float, bool]:
    """What was said, how far the weights are from those of one process, whether ranks agree."""
    models = [wrapped(kind, one, **options) for one in two_nets()]
    engines = [
        zerograd.Gradients(
            torch.optim.SGD(model.parameters(), lr=0.1),
            model=model,
            accumulate=accumulate,
            clear=clear,
        )
        for model, accumulate in zip(models, WINDOWS, strict=True)
    ]

    def run() -> None:
        for index in zerograd.batches(range(MICRO_BATCHES), *engines):
            for engine, loss_of in zip(engines, LOSSES, strict=True):
                engine.backward(loss_of(models, dist.get_rank(), index))

    sentence = said(run)
    ours, truth = _both(models), alone()
    return sentence, float((ours - truth).norm() / truth.norm()), all(map(same_everywhere, models))


def alone() -> Tensor:
    """The weights of one process that sees all ranks' micro-batches, its gradients kept apart."""
    models = two_nets()
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in models]
    sums = [[torch.zeros_like(p) for p in model.parameters()] for model in models]
    for index in range(MICRO_BATCHES):
        for number, accumulate in enumerate(WINDOWS):
            own = list(models[number].parameters())
            for rank in range(dist.get_world_size()):
                parts = torch.autograd.grad(LOSSES[number](models, rank, index), own)
                torch._foreach_add_(sums[number], parts)
            if index % accumulate == accumulate - 1:
                for parameter, total in zip(own, sums[number], strict=True):
                    parameter.grad = total / (accumulate * dist.get_world_size())
                optimizers[number].step()
                torch._foreach_zero_(sums[number])
    return _both(models)


def _both(models: Any) -> Tensor:
    return flat([tensor for model in models for tensor in weights(model)])
