"""What watching costs on two ranks under DDP: bare and watched blocks take turns on both.

    python benchmarks/ranks_watch.py [--quick]

prints tables of rank 0's CPU time, the comparing of gradients between ranks included, and writes
them to benchmarks/RESULTS.md.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from functools import partial
from typing import TYPE_CHECKING

import torch
from measure import compare, timed
from results import write_section
from torch import distributed
from torch.nn.parallel import DistributedDataParallel
from watched_loops import CASES as LOOPS
from watched_loops import Loop

from zerograd import hooks
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from measure import Block, Ratio

CASES: dict[str, tuple[Callable[[], Loop], int, int]] = {
    "tiny MLP (10-32-2, batch 8)": (LOOPS["tiny MLP"].loop, 100, 60),
    "5 M MLP (batch 16)": (LOOPS["5 M MLP"].loop, 2, 20),
}
"""How to build each, steps a block, rounds."""

WARMING = 80
"""Steps for which a new loop is looked at and compared more closely; they are not measured."""

SETTLING = 4
"""Steps after which the interpreter has cached anew what it knew of the classes that we patch: in
life that is once a run, and here it would be once a block."""

TITLE = "## Watching two ranks under DDP: ratios of rank 0's CPU time to the bare loop"
WATCHED = "watched"
LIMIT = 1.02
"""What was asked, unless it lies in the spread of the control."""


def replicated(make: Callable[[], Loop]) -> Loop:
    """Wrap a loop's model for both ranks."""
    loop = make()
    return Loop(DistributedDataParallel(loop.model), loop.inputs)


def settled(loop: Loop) -> Block:
    """Make a block of a loop that has run a few steps just before."""
    block = timed(loop.step)

    def after_a_few(steps: int) -> float:
        block(SETTLING)
        return block(steps)

    return after_a_few


def bare(make: Callable[[], Loop]) -> Block:
    """Build the loop as it is."""
    return settled(replicated(make))


def watched(make: Callable[[], Loop]) -> Block:
    """Build the loop and listen to it while, and only while, its blocks run."""
    session = Session(on_held=_keep_nothing)
    session.start()
    loop = replicated(make)
    timed(loop.step)(WARMING)
    _pause(session)
    block = settled(loop)

    def listened(steps: int) -> float:
        hooks.subscribe(session.fast_path, session.fail)
        session.ranks.start()
        try:
            return block(steps)
        finally:
            _pause(session)

    return listened


def _pause(session: Session) -> None:
    hooks.unsubscribe(session.fast_path)
    session.ranks.stop()
    session.observer.modules.stop()


def _keep_nothing(record: object) -> None:
    """Stand for the journal, whose one write a sample is the same for every model."""
    del record


def table(name: str, rounds: int, ratios: list[Ratio]) -> list[str]:
    """Return what was measured as lines of Markdown."""
    lines = [
        "",
        f"### {name}",
        "",
        f"| {rounds} rounds | median | p5 | p95 | quiet | µs a step | at most |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for one in ratios:
        numbers = (one.median, one.p5, one.p95, one.quiet)
        cells = [*(f"{number:.3f}" for number in numbers), f"{one.microseconds:.0f}"]
        asked = _asked(one, ratios) if one.variant == WATCHED else ""
        lines.append(f"| {one.variant} | {' | '.join(cells)} | {asked} |")
    return lines


def _asked(watched: Ratio, ratios: list[Ratio]) -> str:
    """Return what is asked: the number, unless the control itself strays as far."""
    control = next(one for one in ratios if one.variant != WATCHED)
    inside = control.p5 <= watched.quiet <= control.p95
    return f"{LIMIT} or in the A/A spread" if watched.quiet > LIMIT and inside else f"{LIMIT}"


def rank(number: int, store: str, *, quick: bool) -> None:
    """Be one rank; rank 0 prints and writes."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    distributed.init_process_group("gloo", f"file://{store}", rank=number, world_size=2)
    lines = [TITLE]
    for name, (make, steps, full) in CASES.items():
        rounds = max(full // 5, 8) if quick else full
        ratios = compare(
            partial(bare, make), {WATCHED: partial(watched, make)}, steps=steps, rounds=rounds
        )
        lines += (measured := table(name, rounds, ratios))
        if number == 0:
            print("\n".join(measured), flush=True)
    if number == 0:
        write_section("ranks-watch", lines)


def main() -> None:
    """Run both ranks, or a fifth of the rounds."""
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    quick = {"quick": "--quick" in sys.argv[1:]}
    with tempfile.TemporaryDirectory() as folder:
        # Forked ranks leave by `os._exit`; torch 2.13 may abort one that finalises instead.
        forking = multiprocessing.get_context("fork")
        store = f"{folder}/store"
        ranks = [forking.Process(target=rank, args=(n, store), kwargs=quick) for n in range(2)]
        for process in ranks:
            process.start()
        for process in ranks:
            process.join()


if __name__ == "__main__":
    main()
