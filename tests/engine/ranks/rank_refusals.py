"""Engines that are refused before the first step, each by what it is refused for."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from rank_cases import batch, mean_loss, net, replicas, shards
from rank_scenes import EQUAL, engine, epoch, said
from rank_traffic import sums
from sharding import fully_shard
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook import post_localSGD_hook
from torch.distributed.device_mesh import init_device_mesh
from torch.nn.parallel import DistributedDataParallel

import zerograd

if TYPE_CHECKING:
    from collections.abc import Callable


def refused(make: str) -> str:
    """The sentence that an engine over a model is refused with, at construction."""
    return said(lambda: REFUSED[make]())


def with_hook(hook: Any, **options: Any) -> Any:
    model = replicas()
    model.register_comm_hook(None, hook)
    return engine(model, **options)


def optimizer_before_wrapping() -> Any:
    bare = net()
    optimizer = torch.optim.SGD(bare.parameters(), lr=0.1)
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    fully_shard(bare, mesh=mesh)
    return zerograd.Gradients(optimizer, model=bare)


def part_of_a_model() -> Any:
    model = replicas()
    optimizer = torch.optim.SGD(model.module[0].parameters(), lr=0.1)
    return zerograd.Gradients(optimizer, model=model, only_own=True)


def overlapping_zero() -> Any:
    from torch.distributed.optim import ZeroRedundancyOptimizer  # warns when it is imported

    model = replicas()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        optimizer = ZeroRedundancyOptimizer(
            model.parameters(), torch.optim.SGD, overlap_with_ddp=True, lr=0.1
        )
    return zerograd.Gradients(optimizer, model=model)


def sharded_without_model() -> Any:
    return zerograd.Gradients(torch.optim.SGD(shards().parameters(), lr=0.1))


def replicas_without_model() -> Any:
    model = replicas()
    return zerograd.Gradients(torch.optim.SGD(model.parameters(), lr=0.1))


def bare_module_as_model() -> Any:
    model = replicas()
    return engine(model.module)


def wrapped_after_the_engine() -> Any:
    bare = net()
    gradients = zerograd.Gradients(torch.optim.SGD(bare.parameters(), lr=0.1))
    model = DistributedDataParallel(bare)
    return gradients.backward(mean_loss(model, *batch(0, 0, 4)))


def a_wrapper_that_is_gone() -> Any:
    """What was trained over ranks is trained further by each rank for itself."""
    model = replicas()
    bare = model.module
    del model
    return engine(bare).backward(mean_loss(bare, *batch(0, 0, 4)))


def lbfgs() -> Any:
    model = replicas()
    return zerograd.Gradients(torch.optim.LBFGS(model.parameters()), model=model, accumulate=None)


def delayed() -> Any:
    bare = net()
    named = [("0.weight", bare[0].weight)]
    return engine(
        DistributedDataParallel(
            bare, delay_all_reduce_named_params=named, param_to_hook_all_reduce=bare[2].bias
        )
    )


def different_windows() -> Any:
    model = replicas()
    return epoch(model, engine(model, accumulate=1 + dist.get_rank()), EQUAL)


def meshes_of_two_and_four() -> Any:
    model = net()
    grid = init_device_mesh("cpu", (2, 2), mesh_dim_names=("outer", "inner"))
    fully_shard(model[0], mesh=grid["inner"])
    return engine(fully_shard(model, mesh=init_device_mesh("cpu", (4,))))


def without_a_length() -> Any:
    gradients = engine(replicas())
    return list(gradients.batches(iter([])))


def divided() -> Any:
    model = shards()
    model.set_gradient_divide_factor(1.0)
    return engine(model)


REFUSED: dict[str, Callable[[], Any]] = {
    "hook": lambda: with_hook(sums),
    "declared hook": lambda: with_hook(sums, comm_hook_averages=True),
    "kept gradients and bucket views": lambda: engine(
        replicas(gradient_as_bucket_view=True), clear="zero"
    ),
    "zeroed bucket views": lambda: engine(replicas(gradient_as_bucket_view=True), clear="zero"),
    "wide bucket views": lambda: engine(
        replicas(torch.bfloat16, gradient_as_bucket_view=True), accumulate_dtype=torch.float32
    ),
    "delayed parameters": delayed,
    "different windows": different_windows,
    "no length": without_a_length,
    "fsdp divide factor": divided,
    "meshes of two sizes": meshes_of_two_and_four,
    "step in backward": lambda: engine(replicas(), step_in_backward=True),
    "part of a model": part_of_a_model,
    "lbfgs": lbfgs,
    "overlapping zero": overlapping_zero,
    "fsdp only own": lambda: engine(shards(), only_own=True),
    "fsdp kept gradients": lambda: engine(shards(), clear="zero"),
    "fsdp wide": lambda: engine(shards(), accumulate_dtype=torch.float32),
    "fsdp by hand": lambda: engine(shards(), accumulate=None),
    "sharded without model": sharded_without_model,
    "optimizer before wrapping": optimizer_before_wrapping,
    "replicas without model": replicas_without_model,
    "bare module as model": bare_module_as_model,
    "wrapped after the engine": wrapped_after_the_engine,
    "a wrapper that is gone": a_wrapper_that_is_gone,
    "hook of local SGD": lambda: with_hook(post_localSGD_hook),
    "wrapper inside": lambda: engine(nn.Sequential(replicas())),
}
