"""What a step over two ranks costs, in time and in bytes, beside plain DDP and Accelerate.

    python benchmarks/ranks.py [--quick]

prints the tables and writes them to benchmarks/RESULTS.md. The ranks are forked and meet through a
file. Variants take turns in every round, in an order that is reversed from round to round; ratios
are taken within a round, and the baseline runs twice: its second copy is the A/A control.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from itertools import islice
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Any, NamedTuple

import torch
import torch.distributed as dist
from measure import CONTROL
from results import write_section
from torch import nn
from torch.multiprocessing.spawn import start_processes
from torch.nn.parallel import DistributedDataParallel
from torch.utils._python_dispatch import TorchDispatchMode

import zerograd

RANKS = 2
WINDOWS = (1, 4, 16)
SECONDS = 40.0
"""For each of them; a fifth of it in a hurry."""
EPOCH = 10_000
"""Batches of the engine's loader: no block comes to its end."""
FEWEST = 5
"""So many rounds it takes, on however busy a machine."""


class Spent(NamedTuple):
    """Seconds of a step."""

    wall: float
    cpu: float
    """Of all threads of this rank."""


Steps = Callable[[int], object]
"""Makes so many optimizer steps."""

Turn = Callable[[], Steps]
"""Begins a block: what it takes to begin is not measured."""


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


def plain(k: int, hook: Any, *, naive: bool = False) -> Turn:
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

    return lambda: steps


def engine(k: int, hook: Any, *, items: bool = False) -> Turn:
    """Train with `zerograd.Gradients`, which lives only for its block: it listens to all others."""
    model = DistributedDataParallel(mlp())
    hook(model)
    optimizer, pair = adamw(model), batch()

    def turn() -> Steps:
        gradients = zerograd.Gradients(
            optimizer, model=model, accumulate=k, comm_hook_averages=True
        )

        # One epoch for the whole block: what it begins with is no step's.
        batches = iter(gradients.batches([pair] * EPOCH))

        def steps(count: int) -> None:
            for inputs, targets in islice(batches, count * k):
                loss = nn.functional.mse_loss(model(inputs), targets)
                gradients.backward(loss, items=len(targets) if items else None)

        return steps

    return turn


def accelerate(k: int, hook: Any) -> Turn:
    """Train with `accelerator.accumulate`, as its guide has it."""
    from accelerate import Accelerator
    from accelerate.state import AcceleratorState, GradientState

    AcceleratorState._reset_state()  # noqa: SLF001  else it keeps the first k of the process
    GradientState._reset_state()  # noqa: SLF001
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=k)
    torch.set_num_threads(1)  # it has just set another number, for all variants
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

    return lambda: steps


VARIANTS: dict[str, Callable[[int, Any], Turn]] = {
    "plain DDP, no_sync": plain,
    CONTROL: plain,
    "plain DDP, every micro-batch reduced": lambda k, hook: plain(k, hook, naive=True),
    "engine": engine,
    "engine, items=": lambda k, hook: engine(k, hook, items=True),
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


class Sent(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the bytes that this rank hands to collectives."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.bytes = 0.0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Count, and go on."""
        if func.namespace == "c10d":
            self.bytes += sum(one.nbytes for one in args[0] if isinstance(one, torch.Tensor))
        return func(*args, **(kwargs or {}))


def bytes_of(variant: str, k: int) -> float:
    """Return the bytes that one step gives to collectives, counts and all."""
    steps = VARIANTS[variant](k, lambda model: model.register_comm_hook(None, reduced))()
    steps(2)
    with Sent() as sent:
        steps(4)
    return float(sent.bytes) / 4


def times_of(k: int, budget: float) -> dict[str, list[Spent]]:
    """Return what each variant's blocks took, all ranks beginning a block together."""
    begun = perf_counter()
    turns = {name: make(k, lambda _: None) for name, make in VARIANTS.items()}
    count = max(2, 16 // k)
    times: dict[str, list[Spent]] = {name: [] for name in turns}
    order = list(turns)
    for turn in turns.values():
        block(turn(), 1)  # warms up
    while len(times[CONTROL]) < FEWEST or not _is_late(begun + budget):
        for name in order:
            times[name].append(block(turns[name](), count))
        order.reverse()
    return times


def _is_late(deadline: float) -> bool:
    """Whether the time is up, by the clock of rank 0: all ranks measure as many rounds."""
    late = torch.tensor(int(perf_counter() > deadline))
    dist.broadcast(late, 0)
    return bool(late)


def block(steps: Steps, count: int) -> Spent:
    """Return the seconds of one of so many steps, after one that is not counted."""
    steps(1)
    dist.barrier()
    start, begun = perf_counter(), process_time()
    steps(count)
    cpu = process_time() - begun
    dist.barrier()
    return Spent((perf_counter() - start) / count, cpu / count)


def table(k: int, budget: float) -> list[str]:
    """Measure windows of k micro-batches; return lines of Markdown."""
    times = times_of(k, budget)
    beside = times["plain DDP, no_sync"]
    lines = [
        "",
        f"### windows of {k}, {len(times[CONTROL])} rounds",
        "",
        "| variant | median | p5 | p95 | ms a step | bytes a step | CPU |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, own in times.items():
        ratios = [one.wall / other.wall for one, other in zip(own, beside, strict=True)]
        busy = [one.cpu / other.cpu for one, other in zip(own, beside, strict=True)]
        low, *_, high = quantiles(ratios, n=20, method="inclusive")
        milliseconds = median(one.wall for one in own) * 1e3
        cells = [f"{number:.2f}" for number in (median(ratios), low, high, milliseconds)]
        cells += [f"{bytes_of(name, k):,.0f}", f"{median(busy):.2f}"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def preface() -> list[str]:
    """Return what was measured, and how."""
    how = """\
An MLP of 260 k parameters (1 MB of gradients), micro-batches of 8, fused AdamW; gloo, one thread \
a rank. Ratios of *wall* time to plain DDP of the same round: ranks wait for each other, which is \
no CPU time. Bytes are those that a rank hands to collectives, the engine's counts among them. \
Plain DDP and Accelerate average the ranks' means; so does the engine where no items are given, \
and then it sends nothing of its own: the ranks agreed on their windows when `batches()` began. \
With `items=` it weighs every micro-batch by its count: one message of 16 bytes a window, left in \
the machine's memory before the closing backward and read after it. The last ratio is that of \
the CPU time of rank 0, all its threads together: on a machine that others use as well it is the \
one to trust."""
    return [f"## A step over {RANKS} ranks", "", how]


def measure(rank: int, store: str, budget: float) -> None:
    """Be one rank; the first one prints and writes."""
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(RANKS))
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="1", GLOO_SOCKET_IFNAME="lo")
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{store}", rank=rank, world_size=RANKS)
    lines = preface()
    for k in WINDOWS:
        lines += (measured := table(k, budget))
        if rank == 0:
            print("\n".join(measured), flush=True)
    if rank == 0:
        write_section("ranks", lines)


def main() -> None:
    """Measure everything, or for a fifth of the time."""
    budget = SECONDS / 5 if "--quick" in sys.argv[1:] else SECONDS
    with tempfile.TemporaryDirectory() as folder:
        arguments = (f"{folder}/store", budget)
        start: Any = start_processes  # torch does not annotate it
        start(measure, args=arguments, nprocs=RANKS, start_method="fork")


if __name__ == "__main__":
    main()
