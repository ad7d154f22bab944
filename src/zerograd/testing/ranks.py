"""A parallel step beside the single process: forked ranks, each with its part of the batch."""

from __future__ import annotations

import math
import multiprocessing
import tempfile
import threading
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

from zerograd import system
from zerograd.errors import ArgumentError
from zerograd.record import record
from zerograd.testing.batch import parts, rows, sizes

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.process import BaseProcess

    from torch import Tensor
    from torch.nn import Module

    from zerograd.testing.batch import Split
    from zerograd.testing.trial import Gradient, Subject

PATIENCE = 120.0
"""Seconds until ranks that wait for each other are ended."""


@record(frozen=True)
class RankGradientDifference:
    """The first parameter whose gradient on some rank is not that of the single process."""

    name: str
    rank: int
    relative: float
    factor: float
    """What the true gradient is nearest to this one after multiplying by."""

    is_multiple: bool
    """Whether it is the true gradient but for that factor."""

    agree: bool
    """Whether all ranks hold the same gradient of it."""


def assert_same_over_ranks(
    subject: Subject, ranks: int, split: Split | None, step: Callable[[Module, Any], object] | None
) -> None:
    """Assert that the ranks' `.grad` is the gradient of the whole batch in one process."""
    __tracebackhide__ = True
    if not isinstance(ranks, int):
        raise ArgumentError(f"ranks is a number of processes, got {ranks!r}; write ranks=2")
    cut = sizes(rows(subject.batch), ranks if split is None else split)
    if len(cut) != ranks:
        raise ArgumentError(f"splits={cut} is {len(cut)} parts for {ranks} ranks; give one each")
    whole, _ = subject.gradient(subject.batch)
    every = _run(subject, cut, step or _by_ddp(subject, ranks))
    found = first_parted(subject, whole, every)
    if found is not None:
        raise AssertionError(_message(found, cut, subject.tolerance()))


def first_parted(
    subject: Subject, whole: Gradient, every: list[Gradient]
) -> RankGradientDifference | None:
    """Return the first parameter, in the model's order, that differs on any rank."""
    for index, name in enumerate(subject.parameters):
        truth = whole[index]
        for rank, gradients in enumerate(every):
            own = gradients[index]
            relative = _apart(own, truth)
            if not relative <= subject.tolerance():
                factor = float((own * truth).sum()) / (float(truth.square().sum()) or 1.0)
                is_multiple = _apart(own, truth * factor) <= subject.tolerance()
                agree = all(torch.equal(other[index], own) for other in every)
                return RankGradientDifference(name, rank, relative, factor, is_multiple, agree)
    return None


def _apart(one: Tensor, other: Tensor) -> float:
    """Return how far two gradients are apart, relative to the larger one."""
    size = max(float(one.norm()), float(other.norm()))
    return float((one - other).norm()) / (size or 1.0)


def _why(found: RankGradientDifference, ranks: int) -> str:
    if not found.agree:
        return (
            "The ranks hold different gradients of it, so that nothing reduced them: call the "
            "wrapped model, and let the last backward of a window be outside no_sync()."
        )
    if not found.factor:
        return "No rank has a gradient of it: let the step run the backward, and clear nothing."
    if found.is_multiple and math.isclose(found.factor, ranks, rel_tol=1e-3):
        return (
            f"All ranks hold {ranks} times the true gradient: the ranks' means were summed and not "
            f"averaged; divide by the {ranks} ranks, as DDP does."
        )
    if found.is_multiple:
        return (
            f"All ranks hold {found.factor:.3g} times the true gradient: weight each rank's loss "
            "by its share of the items, and count on DDP's average."
        )
    return (
        "All ranks hold the same, and it is no multiple of the true gradient: weight each rank's "
        "loss by its share of the items; let every row go to one rank; and reduce the activations "
        "that ranks hold in parts."
    )


def _message(found: RankGradientDifference, cut: list[int], tolerance: float) -> str:
    why = _why(found, len(cut))
    return (
        f"{len(cut)} ranks with {' + '.join(map(str, cut))} rows do not give the gradient of the "
        f"whole batch in one process: {found.name} differs first, on rank {found.rank}, by "
        f"{found.relative:.3g} (round-off explains {tolerance:g})\n\n{why}"
    )


def _by_ddp(subject: Subject, ranks: int) -> Callable[[Module, Any], object]:
    """Return a step as DDP's documentation has it, each rank weighted by its share."""

    def step(model: Module, part: Any) -> None:
        from torch.nn.parallel import DistributedDataParallel

        weight = float(ranks)
        if subject.reduction == "mean":
            weight *= subject.items(part) / subject.items(subject.batch)
        wrapped = DistributedDataParallel(model)  # one that is gone at the backward reduces nothing
        torch.autograd.backward(subject.loss_fn(wrapped, part) * weight)

    return step


def _run(subject: Subject, cut: list[int], step: Callable[[Module, Any], object]) -> list[Gradient]:
    """Run a step on every rank and return what each of them holds in `.grad`."""
    # Wrappers and optimizers import it when they are first used, and it takes seconds: once, here,
    # and not on every rank.
    import torch._dynamo

    pieces = parts(subject.batch, cut)
    if not system.can_fork():
        raise ArgumentError(
            "ranks= runs each part in a fork of this process, and this system cannot fork; "
            "leave ranks= out"
        )
    context = multiprocessing.get_context("fork")  # so that model and functions need no pickling
    with tempfile.TemporaryDirectory(prefix="zerograd-ranks-") as folder:
        processes: list[BaseProcess] = [
            context.Process(target=_rank, args=(rank, subject, piece, len(pieces), step, folder))
            for rank, piece in enumerate(pieces)
        ]
        for process in processes:
            process.start()
        _wait(processes, Path(folder))
        files = [Path(folder) / f"gradients-{rank}" for rank in range(len(pieces))]
        return [torch.load(file, weights_only=True) for file in files]


def _rank(
    rank: int,
    subject: Subject,
    piece: Any,
    ranks: int,
    step: Callable[[Module, Any], object],
    folder: str,
) -> None:
    """Be one rank, until it is ended: it never destroys its group, and cannot hang in that."""
    try:
        torch.set_num_threads(1)  # a fork has none of the threads that its parent's OpenMP counts
        dist.init_process_group("gloo", f"file://{folder}/store", rank=rank, world_size=ranks)
        step(subject.model, piece)
        gradients = [_whole(p) for p in subject.parameters.values()]
        torch.save(gradients, f"{folder}/unfinished-{rank}")
        Path(f"{folder}/unfinished-{rank}").rename(f"{folder}/gradients-{rank}")
    except BaseException:
        words = f"rank {rank} raised\n\n{traceback.format_exc()}"
        Path(f"{folder}/error-{time.monotonic_ns():020}-{rank}").write_text(words, "utf-8")
        raise SystemExit(1) from None
    # Another rank may still talk to this one, in its step or about a sharded gradient.
    threading.Event().wait()


def _whole(parameter: Any) -> Tensor:
    grad = parameter.grad
    if grad is None:
        grad = torch.zeros_like(parameter)
    if hasattr(grad, "full_tensor"):
        grad = grad.full_tensor()
    found: Tensor = (grad.to_dense() if grad.is_sparse else grad).detach().double()
    return found


def _wait(processes: list[BaseProcess], folder: Path) -> None:
    """Wait for all ranks, end them, and say so if one failed or they waited for each other."""
    deadline = time.monotonic() + PATIENCE
    waiting = list(range(len(processes)))
    while waiting and time.monotonic() < deadline:
        if any(process.exitcode is not None for process in processes):
            break
        time.sleep(0.01)
        waiting = [rank for rank in waiting if not (folder / f"gradients-{rank}").exists()]
    ended = {rank: process.exitcode for rank, process in enumerate(processes)}
    for process in processes:
        process.kill()
        process.join()
    # The first error is the cause: a rank that lost the other one raises after it.
    for error in sorted(folder.glob("error-*")):
        raise AssertionError(error.read_text("utf-8"))
    for rank, status in ended.items():
        if status is not None:
            raise AssertionError(f"rank {rank} left with {status}")
    if waiting:
        done = "another is done" if len(waiting) < len(processes) else "all wait for each other"
        raise AssertionError(
            f"rank {waiting[0]} is stuck after {PATIENCE:g} s while {done}: let all ranks make the "
            "same collective calls in the same order"
        )
