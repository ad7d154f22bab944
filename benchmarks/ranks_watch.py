"""What watching costs on two ranks under DDP: bare and watched blocks take turns on both.

`python benchmarks/ranks_watch.py` prints a table of rank 0's CPU time, the bytes of gradients
compared between ranks included.
"""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from functools import partial
from typing import TYPE_CHECKING

import torch
from measure import compare, timed
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

from watch import Loop, perceptron, tiny
from zerograd import hooks
from zerograd.watch.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from measure import Block

CASES: dict[str, tuple[Callable[[], Loop], int, int]] = {
    "tiny MLP": (tiny, 30, 60),
    "5 M MLP": (perceptron, 2, 20),
}
"""How to build each, steps a block, rounds."""


def replicated(make: Callable[[], Loop]) -> Loop:
    """Wrap a loop's model for both ranks."""
    loop = make()
    return Loop(DistributedDataParallel(loop.model), loop.inputs)


def bare(make: Callable[[], Loop]) -> Block:
    """Build the loop as it is."""
    return timed(replicated(make).step)


def watched(make: Callable[[], Loop]) -> Block:
    """Build the loop and listen to it while, and only while, its blocks run."""
    session = Session(on_held=_keep_nothing)
    session.start()
    loop = replicated(make)
    for _ in range(50):
        loop.step()
    _pause(session)
    block = timed(loop.step)

    def listened(steps: int) -> float:
        hooks.subscribe(session.observer)
        session.ranks.start()
        try:
            return block(steps)
        finally:
            _pause(session)

    return listened


def _pause(session: Session) -> None:
    hooks.unsubscribe(session.observer)
    session.ranks.stop()
    session.observer.modules.stop()


def _keep_nothing(record: object) -> None:
    """Stand for the journal, whose one write a sample is the same for every model."""
    del record


def rank(number: int, store: str) -> None:
    """Be one rank; rank 0 prints."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    distributed.init_process_group("gloo", f"file://{store}", rank=number, world_size=2)
    for name, (make, steps, rounds) in CASES.items():
        ratios = compare(
            partial(bare, make), {"watched": partial(watched, make)}, steps=steps, rounds=rounds
        )
        for ratio in ratios if number == 0 else ():
            print(
                f"{name}, two ranks: {ratio.variant:30} median {ratio.median:.3f}  "
                f"p5 {ratio.p5:.3f}  p95 {ratio.p95:.3f}  fast {ratio.quiet:.3f}  "
                f"{ratio.microseconds:.0f} us a step",
                flush=True,
            )


def main() -> None:
    """Run both ranks."""
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    with tempfile.TemporaryDirectory() as folder:
        # Forked ranks leave by `os._exit`; torch 2.13 may abort one that finalises instead.
        forking = multiprocessing.get_context("fork")
        ranks = [forking.Process(target=rank, args=(n, f"{folder}/store")) for n in range(2)]
        for process in ranks:
            process.start()
        for process in ranks:
            process.join()


if __name__ == "__main__":
    main()
