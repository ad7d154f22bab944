"""What a step over two ranks costs, in time and in bytes, beside plain DDP and Accelerate.

    python benchmarks/ranks.py [--quick]

prints the tables and writes them to benchmarks/RANKS.md. The ranks are forked and meet through a
file. Variants take turns in every round, in an order that is reversed from round to round; ratios
are taken within a round, and the baseline runs twice: its second copy is the A/A control.
"""

from __future__ import annotations

import contextlib
import logging
import os
import platform
import sys
import tempfile
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any

import torch
import torch.distributed as dist
from measure import CONTROL
from torch import nn
from torch.multiprocessing.spawn import start_processes
from torch.nn.parallel import DistributedDataParallel

import zerograd

RESULTS = Path(__file__).with_name("RANKS.md")
RANKS = 2
WINDOWS = (1, 4, 16)

Steps = Callable[[int], object]
"""Makes so many optimizer steps."""


def mlp() -> nn.Module:
    """Make an MLP of 260 k parameters: 1 MB of gradients."""
    torch.manual_seed(0)
    wide = [layer for _ in range(4) for layer in (nn.Linear(256, 256), nn.ReLU())]
    return nn.Sequential(*wide, nn.Linear(256, 2))


def adamw(model: nn.Module) -> torch.optim.Optimizer:
    """Make the optimizer of every variant."""
    return torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    """Make this rank's micro-batch, which comes again and again."""
    generator = torch.Generator().manual_seed(dist.get_rank())
    return torch.randn(8, 256, generator=generator), torch.randn(8, 2, generator=generator)


def plain(k: int, hook: Any, *, naive: bool = False) -> Steps:
    """Train with DDP and `no_sync()`, or reduce every micro-batch."""
    model = DistributedDataParallel(mlp())
    hook(model)
    optimizer, (inputs, targets) = adamw(model), batch()

    def steps(count: int) -> None:
        for _ in range(count):
            for index in range(k):
                closing = naive or index == k - 1
                with contextlib.nullcontext() if closing else model.no_sync():
                    loss = nn.functional.mse_loss(model(inputs), targets) / k
                    torch.autograd.backward(loss)
            optimizer.step()
            optimizer.zero_grad()

    return steps


def engine(k: int, hook: Any) -> Steps:
    """Train with `zerograd.Gradients`, which lives only while it is measured."""
    model = DistributedDataParallel(mlp())
    hook(model)
    optimizer, (inputs, targets) = adamw(model), batch()

    def steps(count: int) -> None:
        gradients = zerograd.Gradients(
            optimizer, model=model, accumulate=k, comm_hook_averages=True
        )
        for _ in range(count * k):
            loss = nn.functional.mse_loss(model(inputs), targets)
            gradients.backward(loss, items=len(targets))

    return steps


def accelerate(k: int, hook: Any) -> Steps:
    """Train with `accelerator.accumulate`, as its guide has it."""
    from accelerate import Accelerator
    from accelerate.state import AcceleratorState, GradientState

    AcceleratorState._reset_state()  # noqa: SLF001  else it keeps the first k of the process
    GradientState._reset_state()  # noqa: SLF001
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=k)
    bare = mlp()
    model, optimizer = accelerator.prepare(bare, adamw(bare))
    hook(model)
    inputs, targets = batch()

    def steps(count: int) -> None:
        for _ in range(count * k):
            with accelerator.accumulate(model):
                loss = nn.functional.mse_loss(model(inputs), targets)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()

    return steps


VARIANTS: dict[str, Callable[[int, Any], Steps]] = {
    "plain DDP, no_sync": plain,
    CONTROL: plain,
    "plain DDP, every micro-batch reduced": lambda k, hook: plain(k, hook, naive=True),
    "engine": engine,
    "Accelerate": accelerate,
}


def reduced(state: object, bucket: Any) -> Any:
    """Average a bucket where the count of bytes sees it."""
    del state
    dist.all_reduce(bucket.buffer().div_(RANKS))
    done: torch.futures.Future[torch.Tensor] = torch.futures.Future()
    done.set_result(bucket.buffer())
    return done


# DDP compares the annotations of a hook with its own types, not with their names.
reduced.__annotations__.clear()


def bytes_of(variant: str, k: int) -> float:
    """Return the bytes that one step gives to all-reduces, counts and all."""
    seen = [0]
    torch_own = dist.all_reduce

    def counting(tensor: torch.Tensor, *others: Any, **named: Any) -> Any:
        seen[0] += tensor.nbytes
        return torch_own(tensor, *others, **named)

    dist.all_reduce = counting
    try:
        steps = VARIANTS[variant](k, lambda model: model.register_comm_hook(None, reduced))
        steps(2)
        seen[0] = 0
        steps(4)
    finally:
        dist.all_reduce = torch_own
    return seen[0] / 4


def times_of(k: int, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each variant's blocks, all ranks beginning a block together."""
    built = {name: make(k, lambda _: None) for name, make in VARIANTS.items()}
    count = max(1, 8 // k)
    times: dict[str, list[float]] = {name: [] for name in built}
    for steps in built.values():
        steps(count)
    order = list(built)
    for _ in range(rounds):
        for name in order:
            dist.barrier()
            start = perf_counter()
            built[name](count)
            dist.barrier()
            times[name].append((perf_counter() - start) / count)
        order.reverse()
    return times


def table(k: int, rounds: int) -> str:
    """Measure windows of k micro-batches; return Markdown."""
    times = times_of(k, rounds)
    beside = times["plain DDP, no_sync"]
    lines = [
        f"### windows of {k}\n",
        "| variant | median | p5 | p95 | ms a step | bytes a step |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, own in times.items():
        ratios = [one / other for one, other in zip(own, beside, strict=True)]
        low, *_, high = quantiles(ratios, n=20, method="inclusive")
        cells = [f"{number:.2f}" for number in (median(ratios), low, high, median(own) * 1e3)]
        lines.append(f"| {name} | {' | '.join(cells)} | {bytes_of(name, k):,.0f} |")
    return "\n".join(lines) + "\n"


def preface(rounds: int) -> str:
    """Return what was measured, where and how."""
    return f"""# Measured over {RANKS} ranks, on CPU

Written by `make bench`, never by hand. {platform.machine()}, {os.cpu_count()} cores, load \
{os.getloadavg()[0]:.1f} as it began; Python {platform.python_version()}, torch \
{version("torch")}, accelerate {version("accelerate")}; gloo, one thread a rank, {rounds} rounds.

An MLP of 260 k parameters (1 MB of gradients), micro-batches of 8, fused AdamW. Ratios of wall \
time to plain DDP of the same round: median, 5th and 95th percentile. A difference inside the A/A \
control's spread is no result. Bytes are those that a rank hands to all-reduces, the engine's own \
counts among them.
"""


def measure(rank: int, store: str, rounds: int) -> None:
    """Be one rank; the first one prints and writes."""
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(RANKS))
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="1", GLOO_SOCKET_IFNAME="lo")
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{store}", rank=rank, world_size=RANKS)
    parts = [preface(rounds)]
    for k in WINDOWS:
        parts.append(table(k, rounds))
        if rank == 0:
            print(parts[-1], flush=True)
    if rank == 0:
        RESULTS.write_text("\n".join(parts), "utf-8")


def main() -> None:
    """Measure everything, or a fifth of the rounds of it."""
    rounds = 12 if "--quick" in sys.argv[1:] else 40
    with tempfile.TemporaryDirectory() as folder:
        arguments = (f"{folder}/store", rounds)
        start: Any = start_processes  # torch does not annotate it
        start(measure, args=arguments, nprocs=RANKS, start_method="fork")


if __name__ == "__main__":
    main()
