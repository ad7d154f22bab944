"""Models and optimizers with features of torch.distributed that meet the engine."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from rank_cases import Loader, flat, net, replicas, same_everywhere, weights
from rank_scenes import SIZES, distance, epoch, said
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.nn.parallel import DistributedDataParallel

import zerograd

if TYPE_CHECKING:
    from torch import Tensor


class Normed(nn.Module):
    """A net with buffers, which DDP broadcasts in its forward."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.inner = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5), nn.Linear(5, 2))

    def forward(self, inputs: Tensor) -> Any:
        return self.inner(inputs)


def joined_with_buffers() -> tuple[int, bool]:
    """Ranks of 7 and 4 batches over a model with buffers: windows closed, ranks equal."""
    model = DistributedDataParallel(Normed())
    gradients = zerograd.Gradients(
        torch.optim.SGD(model.parameters(), lr=0.1), model=model, accumulate=2
    )
    sizes = [[4, 2, 7, 3, 5, 3, 2], [3, 5, 2, 6]]
    epoch(model, gradients, sizes)
    epoch(model, gradients, sizes)
    return gradients.steps, same_everywhere(model)


class Sometimes(nn.Module):
    """A head that only the first micro-batch of each window uses."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.inner, self.head = nn.Linear(3, 2), nn.Linear(3, 2)

    def forward(self, inputs: Tensor, uses_head: bool) -> Any:
        outputs = self.inner(inputs)
        return outputs + self.head(inputs) if uses_head else outputs


def sometimes_unused(wrap: dict[str, Any]) -> tuple[str, bool, bool]:
    """A parameter that the closing micro-batch does not reach: words, ranks equal, moved."""
    model = DistributedDataParallel(Sometimes(), **wrap)
    before = flat(weights(model))
    gradients = zerograd.Gradients(
        torch.optim.SGD(model.parameters(), lr=0.1), model=model, accumulate=2
    )

    def run() -> None:
        for index, (inputs, targets) in enumerate(Loader(SIZES[dist.get_rank()])):
            loss = (model(inputs, index % 2 == 0) - targets).square().mean()
            gradients.backward(loss)

    sentence = said(run)
    moved = not torch.equal(before, flat(weights(model)))
    return sentence, same_everywhere(model), moved


def compiled(where: str) -> tuple[float, bool]:
    """A compiled module inside the wrapper, or around it."""
    torch._dynamo.reset()
    if where == "inside":
        model: Any = DistributedDataParallel(torch.compile(net(), backend="aot_eager"))
    else:
        model = torch.compile(replicas(), backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer, model=model, accumulate=4)
    epoch(model, gradients, SIZES)
    return distance(model, SIZES, 4), same_everywhere(model)


def zero_redundancy() -> tuple[float, bool]:
    from torch.distributed.optim import ZeroRedundancyOptimizer  # warns when it is imported

    model = replicas()
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1)
    gradients = zerograd.Gradients(optimizer, model=model, accumulate=4, clip_norm=0.5)
    epoch(model, gradients, SIZES)
    return distance(model, SIZES, 4, 0.5), same_everywhere(model)


def with_comm_hook(name: str) -> tuple[float, bool]:
    """A hook of torch's own that compresses what is sent, or does not."""
    model = replicas()
    hooks: Any = {
        "allreduce_hook": (None, default_hooks.allreduce_hook),
        "fp16_compress_hook": (None, default_hooks.fp16_compress_hook),
        "powerSGD_hook": (powerSGD_hook.PowerSGDState(None), powerSGD_hook.powerSGD_hook),
    }
    model.register_comm_hook(*hooks[name])
    gradients = zerograd.Gradients(
        torch.optim.SGD(model.parameters(), lr=0.1), model=model, accumulate=4
    )
    epoch(model, gradients, SIZES)
    return distance(model, SIZES, 4), same_everywhere(model)


def moved_after_wrapping() -> tuple[str, bool]:
    """A model that was moved after it was wrapped: what is said, and whether ranks are equal."""
    model = replicas().to(torch.float32)
    gradients = zerograd.Gradients(torch.optim.SGD(model.parameters(), lr=0.1), model=model)
    return said(lambda: epoch(model, gradients, SIZES)), same_everywhere(model)


def kept_and_copied() -> tuple[bool, bool, bool]:
    """A wrapped model is pickled and copied in mid-window: loaded, as it was, exact as before."""
    model = DistributedDataParallel(net())
    gradients = zerograd.Gradients(
        torch.optim.SGD(model.parameters(), lr=0.1), model=model, accumulate=2
    )
    twin = deepcopy(model)
    epoch(model, gradients, SIZES)
    loaded = pickle.loads(pickle.dumps(model))
    loaded(torch.ones(1, 3, dtype=torch.float64))
    copied = deepcopy(model)
    same = torch.equal(flat(weights(loaded)), flat(weights(model)))
    alike = torch.equal(flat(weights(copied)), flat(weights(model)))
    twin(torch.ones(1, 3, dtype=torch.float64))
    return same, alike, b"zerograd" not in pickle.dumps(model)


def reached_by_nothing(empty_at: dict[int, int], k: int) -> tuple[bool, bool, bool]:
    """A head that only micro-batches without items use: it moved, the rest moved, ranks equal.

    `empty_at` says of each rank which micro-batch of a window has no items.
    """
    model = DistributedDataParallel(Sometimes(), find_unused_parameters=True)
    parts = (model.module.head, model.module.inner)
    head, inner = (flat(list(part.parameters())) for part in parts)
    gradients = zerograd.Gradients(
        torch.optim.AdamW(model.parameters(), lr=0.1), model=model, accumulate=k
    )
    place = empty_at.get(dist.get_rank())
    for index, (inputs, targets) in enumerate(gradients.batches(Loader([3] * 2 * k))):
        empty = index % k == place
        loss = (model(inputs, empty) - targets).square().mean()
        gradients.backward(loss * torch.nan if empty else loss, items=0 if empty else 3)
    after = [flat(list(part.parameters())) for part in parts]
    return bool((after[0] != head).any()), bool((after[1] != inner).any()), same_everywhere(model)


class Frozen(nn.Module):
    """A net of which one layer is frozen when it is wrapped."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.body, self.head = nn.Linear(3, 3), nn.Linear(3, 2)
        self.body.requires_grad_(False)

    def forward(self, inputs: Tensor) -> Any:
        return self.head(self.body(inputs))


def unfrozen_after_wrapping(joins: bool) -> tuple[str, bool]:
    """A layer is unfrozen in mid-run, and joins the optimizer then or was in it: words, equal."""
    model = DistributedDataParallel(Frozen())
    body, head = list(model.module.body.parameters()), list(model.module.head.parameters())
    optimizer = torch.optim.SGD(head if joins else [*body, *head], lr=0.1)
    gradients = zerograd.Gradients(optimizer, model=model)
    loader = Loader([3, 3, 3])

    def run() -> None:
        for index, (inputs, targets) in enumerate(gradients.batches(loader)):
            if index == 1:
                model.module.body.requires_grad_(True)
                if joins:
                    optimizer.add_param_group({"params": body})
            gradients.backward((model(inputs) - targets).square().mean())

    words = said(run)
    return words, same_everywhere(model)
