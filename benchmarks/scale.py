"""What the engine and watch add at 8, 256 and 4,096 ranks, counted with torch's fake process group.

    python benchmarks/scale.py

writes the tables of docs/explanation/scale.md. One process is rank 0 of so many; all other ranks
are taken to do what it does, so that a sum over ranks is its own number times their count. Counted
are operations and bytes, which are the same on every machine; no time is measured.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import TorchDispatchMode

import zerograd
from zerograd.engine.ranks.channel import Answer, SummedMessage
from zerograd.watch.ranks.checksums import is_sampled
from zerograd.watch.ranks.records import Records
from zerograd.watch.ranks.shared import SharedParameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor

WORLDS = (8, 256, 4096)
PAGE = Path(__file__).parents[1] / "docs/explanation/scale.md"
BEGIN, END = "<!-- counted by benchmarks/scale.py -->\n", "<!-- end of what was counted -->\n"


Counted = tuple[int, ...]
"""Collectives, bytes and tensors."""


class Collectives(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the collectives that rank 0 takes part in."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.messages = self.bytes = self.tensors = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Count a collective of this process group."""
        result = func(*args, **(kwargs or {}))
        if func.namespace == "c10d" and func is not torch.ops.c10d.broadcast_.default:
            tensors = list(_tensors(args))
            self.messages += 1
            self.tensors += len(tensors)
            self.bytes += sum(tensor.nbytes for tensor in tensors)
        return result

    @property
    def counted(self) -> Counted:
        """Collectives, bytes and tensors so far."""
        return self.messages, self.bytes, self.tensors


def _tensors(given: Any) -> Iterator[torch.Tensor]:
    for one in given:
        if isinstance(one, torch.Tensor):
            yield one
        elif isinstance(one, list | tuple):
            yield from _tensors(one)


def _answered(message: SummedMessage) -> Answer:
    """Answer for ranks that all tell what this one does."""
    message._row.mul_(dist.get_world_size())  # noqa: SLF001  the fake group leaves it as it is
    return _answer(message)


_answer = SummedMessage.answer


@contextmanager
def ranks(world: int) -> Iterator[None]:
    """Be rank 0 of so many, of which no other exists."""
    dist.init_process_group("fake", rank=0, world_size=world, store=FakeStore())
    try:
        with mock.patch.object(SummedMessage, "answer", _answered):
            yield
    finally:
        dist.destroy_process_group()


def replicas() -> Any:
    """Make a DDP model; the fake group hands DDP no result, so a hook does."""
    model = DistributedDataParallel(nn.Linear(8, 8))
    model.register_comm_hook(None, _unchanged)
    return model


def _unchanged(state: object, bucket: Any) -> Any:
    del state
    done: torch.futures.Future[torch.Tensor] = torch.futures.Future()
    done.set_result(bucket.buffer())
    return done


_unchanged.__annotations__.clear()  # DDP compares them with types, not with their names


def shards() -> Any:
    """Make an FSDP2 model."""
    model = nn.Linear(8, 8)
    fully_shard(model, mesh=init_device_mesh("cpu", (dist.get_world_size(),)))
    return model


CASES: dict[str, tuple[Callable[[], Any], bool, float | None]] = {
    "DDP": (replicas, False, None),
    "DDP, `items=`": (replicas, True, None),
    "DDP, `items=`, `clip_norm=`": (replicas, True, 1.0),
    "FSDP2": (shards, False, None),
    "FSDP2, `items=`": (shards, True, None),
    "FSDP2, `items=`, `clip_norm=`": (shards, True, 1.0),
}
MICRO_BATCHES = 16
WINDOW = 4


def of_a_window(case: str) -> Counted:
    """Return what one window of the engine adds to the same loop without it."""
    make, items, clip = CASES[case]
    after = [_backwards(make(), items, clip, windows) for windows in (2, 3)]
    plain = _plain(make())
    return tuple(b - a - p for a, b, p in zip(*after, plain, strict=True))


def _backwards(model: Any, items: bool, clip: float | None, windows: int) -> Counted:
    gradients = zerograd.Gradients(
        torch.optim.SGD(model.parameters(), lr=0.1),
        model=model,
        accumulate=WINDOW,
        clip_norm=clip,
        comm_hook_averages=isinstance(model, DistributedDataParallel),
    )
    counted = Collectives()
    with counted:
        for index, batch in enumerate(gradients.batches([torch.randn(4, 8)] * MICRO_BATCHES)):
            gradients.backward(model(batch).square().mean(), items=4 if items else None)
            if index == windows * WINDOW - 1:
                return counted.counted
    raise AssertionError(windows)


def _plain(model: Any) -> Counted:
    """Return what one window of a loop without the engine gives to collectives."""
    sharded = not isinstance(model, DistributedDataParallel)
    counted = Collectives()
    for index in range(2 * WINDOW):
        if index == WINDOW:
            counted = Collectives()  # the first window is not like the others
        closing = index % WINDOW == WINDOW - 1
        if sharded:
            model.set_requires_gradient_sync(closing)
        else:
            model.require_backward_grad_sync = closing
        with counted:
            torch.autograd.backward(model(torch.randn(4, 8)).square().mean())
    return counted.counted


def of_an_epoch() -> Counted:
    """Return what `batches()` begins with."""
    model = replicas()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer, model=model, comm_hook_averages=True)
    counted = Collectives()
    with counted:
        next(iter(gradients.batches([torch.randn(4, 8)])))
        return counted.counted


def kept() -> int:
    """Return how many numbers an engine keeps of its ranks."""
    model = replicas()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients = zerograd.Gradients(optimizer, model=model, comm_hook_averages=True)
    return len(gradients._keeper.channel._ranks)  # type: ignore[attr-defined]  # noqa: SLF001


PLACE: Any = ("train.py", 1)


def of_a_record(world: int) -> int:
    """Return the bytes that watch writes down at a compared step, of a layer with a bias."""
    written: list[str] = []
    records = Records(
        lambda record: written.append(json.dumps(record, separators=(",", ":"))),
        lambda _: {},
        lambda _: {},
    )
    layer = nn.Linear(8, 8)
    parameters: list[Tensor] = list(layer.parameters())
    for parameter in parameters:
        nn.init.ones_(parameter)
    torch.autograd.backward(layer(torch.ones(8)).sum())
    shared = SharedParameters("model", tuple(range(world)), ["weight", "bias"], parameters)
    for step in (1, 2):  # the first one has the names with it
        records.take(step, PLACE, [shared])
    return len(written[-1]) + 1


def lines() -> list[str]:
    """Return the tables, as Markdown."""
    windows: dict[str, list[str]] = {case: [] for case in CASES}
    epochs, held, records = [], [], []
    for world in WORLDS:
        with ranks(world):
            for case, cells in windows.items():
                cells.append(_cell(of_a_window(case)))
            epochs.append(_cell(of_an_epoch()))
            held.append(f"{kept():,} numbers")
        records.append(f"{of_a_record(world):,} bytes")
    heads = " | ".join(f"{world:,} ranks" for world in WORLDS)
    compared = [sum(map(is_sampled, range(1, steps + 1))) for steps in (100, 10_000, 1_000_000)]
    return [
        f"| the engine adds, on a rank | {heads} |",
        f"|---|{'---|' * len(WORLDS)}",
        *(f"| to a window: {case} | {' | '.join(cells)} |" for case, cells in windows.items()),
        f"| at the beginning of `batches()` | {' | '.join(epochs)} |",
        f"| kept as long as an engine lives | {' | '.join(held)} |",
        "",
        f"| watch writes, on a rank | {heads} |",
        f"|---|{'---|' * len(WORLDS)}",
        f"| at a compared step, of two parameters | {' | '.join(records)} |",
        "",
        "| steps of the run | 100 | 10,000 | 1,000,000 |",
        "|---|---|---|---|",
        f"| of which watch compares | {' | '.join(map(str, compared))} |",
    ]


def _cell(counted: Counted) -> str:
    messages, size, tensors = counted
    if not messages:
        return "nothing"
    return f"{messages} message{'s' * (messages > 1)}, {size:,} bytes in {tensors} tensor" + (
        "s" * (tensors > 1)
    )


def main() -> None:
    """Count, and write the page."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    counted = "\n".join(["", *lines(), "", ""])
    PAGE.write_text(before + BEGIN + counted + END + after, "utf-8")
    sys.stdout.write(counted)


if __name__ == "__main__":
    main()
