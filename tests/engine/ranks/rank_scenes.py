"""What else happens on a rank: overflow, breaks, resumes, and the features of DDP and FSDP2."""

from __future__ import annotations

import contextlib
import gc
import math
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from rank_cases import (
    MODELS,
    Loader,
    batch,
    flat,
    mean_loss,
    net,
    replicas,
    same_everywhere,
    shards,
    true_steps,
    true_windows,
    weights,
)
from sharding import fully_shard
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.nn.parallel import DistributedDataParallel

import zerograd
from zerograd.errors import ZerogradError

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

SIZES = [[4, 2, 7, 1, 5, 3, 2, 2], [3, 5, 2, 6, 1, 4, 3, 5]]
EQUAL = [[4] * 8, [4] * 8]


def said(call: Callable[[], Any]) -> str:
    """The sentence that a call is refused with."""
    try:
        call()
    except (ZerogradError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


def epoch(
    model: Any, gradients: Any, sizes: Any, spoilt: Callable[..., Tensor] | None = None
) -> Any:
    """One epoch; `spoilt` changes losses. Returns whether each step was applied."""
    applied = []
    rank = dist.get_rank()
    for index, (inputs, targets) in enumerate(gradients.batches(Loader(sizes[rank]))):
        loss = mean_loss(model, inputs, targets)
        if spoilt is not None:
            loss = spoilt(loss, rank, index)
        step = gradients.backward(loss, items=len(targets))
        if step:
            applied.append(step.applied)
    return applied


def nan_on_rank_one(loss: Tensor, rank: int, index: int) -> Tensor:
    return loss * float("nan") if (rank, index) == (1, 2) else loss


def nan_of_two_kinds(loss: Tensor, rank: int, index: int) -> Tensor:
    """Every rank's first window is NaN, with the sign bit set on one of them."""
    return loss * math.copysign(math.nan, 1 - 2 * rank) if index < 2 else loss


def distance(model: Any, sizes: Any, accumulate: int, clip: float | None = None) -> float:
    truth = true_steps(sizes, accumulate, clip)
    return float((flat(weights(model)) - truth).norm() / truth.norm())


def plain_loop(kind: str, accumulate: int) -> bool:
    """Whether the engine's weights are those of the hand-written loop, bit for bit."""
    by_hand, by_engine = MODELS[kind](torch.float32), MODELS[kind](torch.float32)
    optimizer = torch.optim.AdamW(by_hand.parameters(), lr=0.01)
    for index, (inputs, targets) in enumerate(Loader(EQUAL[0])):
        closing = index % accumulate == accumulate - 1
        if kind == "fsdp":
            by_hand.set_requires_gradient_sync(closing)
        with contextlib.nullcontext() if closing or kind == "fsdp" else by_hand.no_sync():
            torch.autograd.backward(mean_loss(by_hand, inputs, targets) / accumulate)
        if closing:
            optimizer.step()
            optimizer.zero_grad()
    optimizer = torch.optim.AdamW(by_engine.parameters(), lr=0.01)
    gradients = zerograd.Gradients(optimizer, model=by_engine, accumulate=accumulate)
    epoch(by_engine, gradients, EQUAL)
    return torch.equal(flat(weights(by_hand)), flat(weights(by_engine)))


def nonfinite(
    kind: str, how: str, spoilt: Callable[..., Tensor] = nan_on_rank_one
) -> tuple[Any, bool, bool]:
    """What a NaN does: steps applied or the error, ranks equal, weights finite."""
    model = MODELS[kind]()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer, model=model, accumulate=2, nonfinite=how)
    try:
        outcome: Any = epoch(model, gradients, EQUAL, spoilt)
    except ZerogradError as error:
        outcome = str(error)
    return outcome, same_everywhere(model), bool(flat(weights(model)).isfinite().all())


def scaled(kind: str) -> tuple[list[bool], list[Any], bool]:
    """A scaler over an overflow on one rank: steps, every rank's scaler, ranks equal."""
    model = MODELS[kind]()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    gradients = zerograd.Gradients(optimizer, model=model, accumulate=2, scaler=scaler)
    applied = epoch(model, gradients, EQUAL * 2, nan_on_rank_one)
    states: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(states, scaler.state_dict())
    return applied, states, same_everywhere(model)


def over_a_grid() -> Any:
    """Replicas of shards."""
    return shards(mesh=init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard")))


def over_two_meshes() -> Any:
    """The first layer over replicas of shards, the rest over shards of all ranks."""
    model = net()
    grid = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
    fully_shard(model[0], mesh=grid)
    return fully_shard(model, mesh=init_device_mesh("cpu", (4,)))


def norms(make: Callable[[], Any]) -> tuple[float, float]:
    """The engine's norm of one window and the true one, over shards and replicas."""
    model = make()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    found: list[Any] = []
    gradients = zerograd.Gradients(
        optimizer, model=model, clip_norm=1e9, on_step=lambda step: found.append(step.norm)
    )
    sizes = [[3 + rank] for rank in range(dist.get_world_size())]
    epoch(model, gradients, sizes)
    before = flat(weights(net(torch.float64)))
    return found[0], float((true_steps(sizes, 1) - before).norm() / 0.1)


def wide_sum() -> tuple[float, float, bool]:
    """Errors of bf16 gradients: summed in fp32, and as they are; ranks equal."""
    total = torch.stack([gradient_of(r, i) for r in range(2) for i in range(64)]).mean(0)
    wide, same = spent_in(torch.float32)
    narrow, _ = spent_in(None)
    size = float(total.norm())
    return float((wide - total).norm()) / size, float((narrow - total).norm()) / size, same


def spent_in(dtype: torch.dtype | None) -> tuple[Tensor, bool]:
    """What bf16 replicas spend of 64 micro-batches, and whether the ranks agree."""
    model = DistributedDataParallel(nn.Linear(3, 2, bias=False).bfloat16())
    spent: list[Tensor] = []

    def keep(step: object) -> None:
        del step
        spent.append(flat([p.grad for p in model.parameters() if p.grad is not None]))

    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(
        optimizer, model=model, accumulate=64, accumulate_dtype=dtype, on_step=keep
    )
    for inputs, targets in gradients.batches(Loader([1] * 64)):
        gradients.backward((model(inputs.bfloat16()) * targets.bfloat16()).sum(), items=1)
    return spent[0], same_everywhere(model)


def gradient_of(rank: int, index: int) -> Tensor:
    """One micro-gradient of bf16 replicas: products, rounded once, the same on every CPU."""
    inputs, targets = batch(rank, index, 1)
    return flat([(targets.bfloat16().float().t() @ inputs.bfloat16().float()).bfloat16()])


def broken_off(kind: str) -> tuple[str, bool, float]:
    """`break` after 3 of 4 micro-batches, then `flush()`: what it says, ranks, error."""
    model = MODELS[kind]()
    gradients = zerograd.Gradients(
        torch.optim.SGD(model.parameters(), lr=0.1), model=model, accumulate=4
    )
    for index, (inputs, targets) in enumerate(gradients.batches(Loader(SIZES[dist.get_rank()]))):
        gradients.backward(mean_loss(model, inputs, targets), items=len(targets))
        if index == 2:
            break
    sentence = said(gradients.flush)
    cut = [own[:3] for own in SIZES]
    error = distance(model, cut, 4) if sentence == "nothing" else 0.0
    gradients.discard()
    return sentence, same_everywhere(model), error


def discarded(kind: str) -> float:
    """The error of an epoch after a window was thrown away in its middle."""
    model = MODELS[kind]()
    gradients = zerograd.Gradients(
        torch.optim.SGD(model.parameters(), lr=0.1), model=model, accumulate=4
    )
    for inputs, targets in gradients.batches(Loader(SIZES[dist.get_rank()])):
        gradients.backward(mean_loss(model, inputs, targets), items=len(targets))
        break
    gradients.discard()
    epoch(model, gradients, SIZES)
    return distance(model, SIZES, 4)


def by_hand(kind: str) -> tuple[float, bool]:
    """Windows closed by `step()`, which no forward can know of."""
    model = MODELS[kind]()
    gradients = zerograd.Gradients(
        torch.optim.SGD(model.parameters(), lr=0.1), model=model, accumulate=None
    )
    for index, (inputs, targets) in enumerate(gradients.batches(Loader(SIZES[dist.get_rank()]))):
        gradients.backward(mean_loss(model, inputs, targets), items=len(targets))
        if index % 4 == 3:
            gradients.step()
    return distance(model, SIZES, 4), same_everywhere(model)


def without_batches(kind: str) -> tuple[float, bool]:
    """Windows of `accumulate` micro-batches without `batches()`."""
    model = MODELS[kind]()
    gradients = zerograd.Gradients(
        torch.optim.SGD(model.parameters(), lr=0.1), model=model, accumulate=4
    )
    for inputs, targets in Loader(SIZES[dist.get_rank()]):
        gradients.backward(mean_loss(model, inputs, targets), items=len(targets))
    return distance(model, SIZES, 4), same_everywhere(model)


def carried(sizes: Any, accumulate: int) -> tuple[float, bool, bool]:
    """Two epochs of which the second begins in the first one's window: 16 and 20 batches."""
    model = replicas()
    gradients = engine(model, accumulate=accumulate, tail="carry")
    own = sizes[dist.get_rank()]
    for epoch_begins in (0, len(own)):
        for inputs, targets in gradients.batches(Loader(own, first=epoch_begins)):
            gradients.backward(mean_loss(model, inputs, targets), items=len(targets))
    is_open = gradients._keeper.books.window.is_open
    error = distance(model, [[*each, *each] for each in sizes], accumulate)
    return error, same_everywhere(model), is_open


def growing_windows() -> tuple[float, bool]:
    """Windows of 2 until two of them are closed, then of 4; 8 and 11 micro-batches."""
    sizes = [SIZES[0], [*SIZES[1], 3, 4, 5]]
    model = replicas()
    gradients = engine(model, accumulate=2)
    for inputs, targets in gradients.batches(Loader(sizes[dist.get_rank()])):
        step = gradients.backward(mean_loss(model, inputs, targets), items=len(targets))
        if step and gradients.steps == 2:
            gradients.accumulate = 4
    ends = [0, 2, 4, 8, 12]
    truth = true_windows(sizes, ends)
    return float((flat(weights(model)) - truth).norm() / truth.norm()), same_everywhere(model)


def several_losses(kind: str) -> float:
    """Two backwards in each micro-batch, items given once."""
    model = MODELS[kind]()
    gradients = zerograd.Gradients(
        torch.optim.SGD(model.parameters(), lr=0.1), model=model, accumulate=4
    )
    for inputs, targets in gradients.batches(Loader(SIZES[dist.get_rank()])):
        with gradients.micro_batch(items=len(targets)):
            for _ in range(2):
                gradients.backward(mean_loss(model, inputs, targets) / 2)
    return distance(model, SIZES, 4)


def engine(model: Any, **options: Any) -> zerograd.Gradients:
    return zerograd.Gradients(torch.optim.SGD(model.parameters(), lr=0.1), model=model, **options)


def bypassed() -> str:
    model = replicas()
    gradients = engine(model, accumulate=2)
    return said(
        lambda: [
            gradients.backward(mean_loss(model.module, *batch(0, index, 4))) for index in range(2)
        ]
    )


def in_join() -> str:
    model = replicas()
    gradients = engine(model)
    with model.join():
        return said(lambda: epoch(model, gradients, EQUAL))


def skipped_batch() -> str:
    model = replicas()
    gradients = engine(model)
    return said(lambda: list(gradients.batches(Loader(EQUAL[0]))))


def longer_than_it_says() -> str:
    """Rank 1's loader says 4 batches and has 6; rank 0 has 8."""
    model = replicas()
    gradients = engine(model, accumulate=2)
    loader = Loader([4] * 6, length=4) if dist.get_rank() else Loader([4] * 8)

    def run() -> None:
        for inputs, targets in gradients.batches(loader):
            gradients.backward(mean_loss(model, inputs, targets), items=len(targets))

    return said(run)


def left_as_found() -> tuple[bool, int]:
    """DDP after its engine died in mid-window: its sync flag, and hooks left."""
    model = replicas()
    gradients = engine(model, accumulate=4)
    gradients.backward(mean_loss(model, *batch(0, 0, 4)))
    gradients.discard()
    del gradients
    gc.collect()
    return model.require_backward_grad_sync, len(model._forward_pre_hooks)
