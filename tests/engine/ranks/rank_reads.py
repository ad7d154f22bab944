"""Trainings of which the engine's own operations are refused what would stall a device."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any
from unittest import mock

import torch
import torch.distributed as dist
from rank_cases import Loader, mean_loss, replicas, same_everywhere, shards, true_steps
from rank_scenes import SIZES, distance, engine
from torch.utils._python_dispatch import TorchDispatchMode

import zerograd
from zerograd.engine import nonfinite

if TYPE_CHECKING:
    from collections.abc import Iterator

MAKE: dict[str, Any] = {"ddp": replicas, "fsdp": shards}


class NoStalls(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Refuses to read a tensor on the host, and to copy one between devices."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.aten._local_scalar_dense.default:
            raise AssertionError("a tensor was read on the host")
        result = func(*args, **(kwargs or {}))
        devices = {one.device for one in (*args, result) if isinstance(one, torch.Tensor)}
        if len(devices) > 1:
            raise AssertionError(f"{func} copies between {devices}")
        return result


def no_stalls() -> NoStalls:
    return NoStalls()  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def read_dtypes() -> Iterator[set[torch.dtype]]:
    """Collect the dtypes of what is read by `tolist`, of which no dispatch mode hears."""
    found: set[torch.dtype] = set()
    torch_own = torch.Tensor.tolist

    def tolist(self: torch.Tensor) -> Any:
        found.add(self.dtype)
        return torch_own(self)

    with mock.patch.object(torch.Tensor, "tolist", tolist):
        yield found


def counts_on_the_host(kind: str) -> tuple[float, bool]:
    """Trains with the engine's device set to meta, from which nothing can be read or sent."""
    model = MAKE[kind]()
    gradients = engine(model, accumulate=4)
    loader = Loader(SIZES[dist.get_rank()])
    for index, (inputs, targets) in enumerate(gradients.batches(loader)):
        loss = mean_loss(model, inputs, targets)
        if index == 0:  # the run's first reduction is compared, once
            gradients.backward(loss, items=len(targets))
            keeper: Any = gradients._keeper
            keeper.wrapper.device = torch.device("meta")
            keeper._is_proven = True
            continue
        with no_stalls():
            gradients.backward(loss, items=len(targets))
    return distance(model, SIZES, 4), same_everywhere(model)


def counts_on_the_device() -> tuple[float, bool]:
    """Trains with counts that are tensors, which count as those of a busy device."""
    model = replicas(torch.float32)  # fused kernels take a scale of fp32 alone
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    gradients = zerograd.Gradients(optimizer, model=model, accumulate=4, reduction="sum")
    loader = Loader(SIZES[dist.get_rank()])
    with mock.patch.object(nonfinite, "stalls", return_value=True):
        for index, (inputs, targets) in enumerate(gradients.batches(loader)):
            loss = mean_loss(model, inputs, targets) * len(targets)
            # One micro-batch of one rank says its count as a number, as items=0 does.
            number = (index, dist.get_rank()) == (4, 1)
            items = len(targets) if number else torch.tensor(len(targets))
            with contextlib.nullcontext() if index == 3 else no_stalls():
                gradients.backward(loss, items=items)
    return distance(model, SIZES, 4), same_everywhere(model)


def wide_sums() -> tuple[set[torch.dtype], bool]:
    """What is read on the host while fp32 sums of bf16 gradients are reduced by the engine."""
    model = replicas(torch.bfloat16)
    gradients = engine(model, accumulate=4, accumulate_dtype=torch.float32)
    dtypes = set()
    for index, (inputs, targets) in enumerate(gradients.batches(Loader([4] * 8))):
        with read_dtypes() as read:
            gradients.backward(mean_loss(model, inputs, targets), items=4)
        if index:  # the first loss is compared with its graph
            dtypes |= read
    return dtypes, same_everywhere(model)


def shallow_truth() -> float:
    """How far apart one window more or less would be: what the errors above are small beside."""
    truth = true_steps(SIZES, 4)
    return float((truth - true_steps([own[:4] for own in SIZES], 4)).norm() / truth.norm())
