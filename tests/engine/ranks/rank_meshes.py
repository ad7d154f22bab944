"""Models over meshes of two dimensions: replicas of shards, and shards of parallel tensors."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from rank_cases import Loader, batch, flat, mean_loss, net, shards, true_windows, weights
from rank_scenes import EQUAL, distance, engine, over_a_grid, said
from sharding import fully_shard
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)
from torch.utils._python_dispatch import TorchDispatchMode

import zerograd

FOUR = [[4, 2, 7, 1, 5], [3, 5, 2, 6, 1], [1, 1, 3, 2, 6], [2, 6, 1, 3, 2]]
HIDDEN = 4
PAIRS = [[3, 2, 5, 1], [4, 1, 2, 2]]
"""The micro-batches of each data-parallel rank; two ranks compute each of them together."""


class Collectives(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts reductions among the shards of a replica, and among replicas."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.namespace == "c10d":
            self.names.append(func.__name__.partition(".")[0])
        return func(*args, **(kwargs or {}))


def replicas_of_shards(sync: str) -> float:
    """The error of an epoch of unequal micro-batches in windows of 2 on four ranks."""
    model = over_a_grid()
    gradients = engine(model, accumulate=2, sync=sync, clip_norm=0.5)
    for inputs, targets in gradients.batches(Loader(FOUR[dist.get_rank()])):
        gradients.backward(mean_loss(model, inputs, targets), items=len(targets))
    return distance(model, FOUR, 2, 0.5)


def reductions(sync: str) -> tuple[int, int]:
    """How often shards and replicas are reduced in two windows of 4, of two parts of a model."""
    model = over_a_grid()
    gradients = engine(model, accumulate=4, sync=sync)
    counted = Collectives()
    for inputs, targets in gradients.batches(Loader(EQUAL[0])):
        loss = mean_loss(model, inputs, targets)
        with counted:
            gradients.backward(loss)
    keeper: Any = gradients._keeper
    # Of the engine's own, at the run's first deposit: what gloo sums, and the largest count.
    messages = 1 if keeper.channel._talk._mailbox else 2
    scattered, reduced = map(counted.names.count, ("_reduce_scatter_base_", "allreduce_"))
    return scattered, reduced - messages


def discarded_in_mid_window() -> float:
    """The error of an epoch after a window of scattered sums was thrown away."""
    model = over_a_grid()
    gradients = engine(model, accumulate=2, sync="shards")
    for inputs, targets in gradients.batches(Loader(FOUR[dist.get_rank()])):
        gradients.backward(mean_loss(model, inputs, targets), items=len(targets))
        break
    gradients.discard()
    for inputs, targets in gradients.batches(Loader(FOUR[dist.get_rank()])):
        gradients.backward(mean_loss(model, inputs, targets), items=len(targets))
    return distance(model, FOUR, 2)


def saved_in_mid_window() -> str:
    model = over_a_grid()
    gradients = engine(model, accumulate=2, sync="shards")
    gradients.backward(mean_loss(model, *batch(0, 0, 4)))
    sentence = said(gradients.state_dict)
    gradients.discard()
    return sentence


def scatters_without_replicas() -> str:
    return said(lambda: engine(shards(), sync="shards"))


def parallel_tensors() -> tuple[Any, int]:
    """A model whose layers are split over two ranks, and their parts over two others."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "tensor"))
    model = net(hidden=HIDDEN)
    how = {"0": ColwiseParallel(), "2": RowwiseParallel()}
    parallelize_module(model, mesh["tensor"], how)
    fully_shard(model[0], mesh=mesh["data"])
    fully_shard(model, mesh=mesh["data"])
    return model, mesh.get_local_rank("data")


def of_parallel_tensors(clip: float) -> tuple[float, list[float], list[float]]:
    """The error of two windows of 2, their items, and their norms."""
    model, place = parallel_tensors()
    steps: list[Any] = []
    gradients = engine(model, accumulate=2, clip_norm=clip, on_step=steps.append)
    own = PAIRS[place]
    for index in gradients.batches(range(len(own))):
        inputs, targets = batch(place, index, own[index])
        gradients.backward(mean_loss(model, inputs, targets), items=len(targets))
    truth = true_windows(PAIRS, [0, 2, 4], clip, hidden=HIDDEN)
    error = float((flat(weights(model)) - truth).norm() / truth.norm())
    return error, [step.items for step in steps], [step.norm for step in steps]


def true_norm() -> float:
    """The norm of the first window's gradient."""
    before = flat(weights(net(hidden=HIDDEN)))
    return float((true_windows(PAIRS, [0, 2], hidden=HIDDEN) - before).norm() / 0.1)


def nan_in_one_part() -> list[bool]:
    """Whether windows are applied, the second with a NaN in the part of the last rank alone."""
    model, place = parallel_tensors()
    applied: list[bool] = []
    gradients = zerograd.Gradients(
        torch.optim.SGD(model.parameters(), lr=0.1),
        model=model,
        nonfinite="skip",
        on_step=lambda step: applied.append(step.applied),
    )
    for index in gradients.batches(range(3)):
        loss = mean_loss(model, *batch(place, index, 2))
        with spoilt(model, on=index == 1 and dist.get_rank() == 3):
            gradients.backward(loss)
    return applied


def spoilt(model: Any, *, on: bool) -> Any:
    """Let this rank's part of the first layer arrive as NaN."""
    return _Spoilt(model[0].weight, on)


class _Spoilt:
    def __init__(self, parameter: Any, on: bool) -> None:
        self._parameter = parameter
        self._on = on

    def __enter__(self) -> None:
        self._handle = (
            self._parameter.register_post_accumulate_grad_hook(_nan) if self._on else None
        )

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            self._handle.remove()


def _nan(parameter: Any) -> None:
    parameter.grad.to_local().fill_(float("nan"))
