"""What watching costs: beside the bare loop and its peers, inside our hooks, and in memory.

    python benchmarks/watch.py [--quick] [--only CASE]

prints its section and writes it into benchmarks/RESULTS.md. TrainCheck rewrites a script before it
runs, so it is measured where every variant has a process of its own: watch_apart.py.
"""

from __future__ import annotations

import argparse
from functools import partial
from importlib.util import find_spec
from statistics import median
from typing import TYPE_CHECKING, Any

import torch
from comparison import Comparison, tables
from measure import keep_freed_memory, timed
from results import write_section
from stopwatch import Idle, Stopwatch
from watch_apart import apart
from watch_memory import memories
from watched_loops import CASES

from zerograd import hooks
from zerograd.watch.process.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from measure import Block
    from watched_loops import Case, Loop

    from zerograd.hooks.guard import Failed

WATCHED = "zerograd watch"
SHARE = 0.005
"""How much of a large model's step may pass inside our hooks."""

SAMPLES = 5
WARMING = 64
"""Steps for which a new loop is looked at more closely; they are not measured."""


def bare(case: Case) -> Block:
    """Build the loop as it is."""
    loop = case.loop()
    loop.step()
    return settled(case, loop)


def settled(case: Case, loop: Loop) -> Block:
    """Return blocks that begin when Python has got used to what is patched."""
    block = timed(loop.step)

    def after_settling(steps: int) -> float:
        block(case.settling)
        return block(steps)

    return after_settling


def watched(case: Case) -> Block:
    """Build the loop and listen to it while, and only while, its blocks run."""
    session = Session()
    session.start()
    loop = case.loop()
    timed(loop.step)(WARMING)
    _pause(session)
    block = settled(case, loop)

    def listened(steps: int) -> float:
        # As a session does it: with nobody to tell of mistakes, one frame less lies between the
        # program and the fast path, and a line that is learned so is not recognised again.
        hooks.subscribe(session.fast_path, session.fail)
        try:
            return block(steps)
        finally:
            _pause(session)

    return listened


def _pause(session: Session) -> None:
    """Hear nothing of the other variants, their modules included."""
    hooks.unsubscribe(session.fast_path)
    session.observer.modules.stop()


def audited(case: Case) -> Block:
    """Let torch-audit check every step."""
    from torch_audit import autopatch

    loop = case.loop()
    autopatch(loop.model, optimizer=loop.optimizer, every_n_steps=1, reporters=[])
    loop.step()
    return settled(case, loop)


def with_anomaly_detection(case: Case) -> Block:
    """Let autograd look for NaN and remember every forward."""
    block = bare(case)

    def checked(steps: int) -> float:
        with torch.autograd.set_detect_anomaly(True):
            return block(steps)

    return checked


def variants(case: Case, *, quick: bool) -> Mapping[str, Callable[[], Block]]:
    """Return what is measured beside the bare loop, as far as it is installed.

    A quick run has no time for peers that double the steps of a large model.
    """
    found = {WATCHED: partial(watched, case)}
    if quick and case.limit is None:
        return found
    if find_spec("torch_audit") is not None:
        found["torch-audit, every step"] = partial(audited, case)
    found["torch.autograd.set_detect_anomaly"] = partial(with_anomaly_detection, case)
    return found


def comparisons(cases: Mapping[str, Case], *, quick: bool) -> Iterator[Comparison]:
    """Yield one table a case."""
    for name, case in cases.items():
        limits = {} if case.limit is None else {WATCHED: case.limit}
        beside = variants(case, quick=quick)
        yield Comparison(name, partial(bare, case), beside, case.steps, case.rounds, limits)


def inside(cases: Mapping[str, Case], *, quick: bool) -> list[str]:
    """Return how much of a step passes inside our hooks, the stopwatch's own time taken off."""
    lines = ["", "### inside our hooks", "", "| model | µs a step | share | at most |"]
    lines.append("|---|--:|--:|--:|")
    for name, case in cases.items():
        steps = case.steps * (1 if quick else 10)
        shown, whole = _inside_ours(case, steps)
        its_own, _ = _inside(case, Idle(), steps)
        seconds = shown - its_own
        limit = "" if case.limit else f"{SHARE:.1%}"
        lines.append(f"| {name} | {seconds * 1e6:.1f} | {seconds / whole:.2%} | {limit} |")
    print("\n".join(lines), flush=True)
    return lines


def _inside_ours(case: Case, steps: int) -> tuple[float, float]:
    session = Session()
    session.start()
    hooks.unsubscribe(session.fast_path)
    try:
        return _inside(case, session.fast_path, steps, session.fail)
    finally:
        session.stop()


def _inside(
    case: Case, observer: Any, steps: int, failed: Failed | None = None
) -> tuple[float, float]:
    """Return the seconds of a step that the stopwatch shows, and those of the whole step."""
    stopwatch = Stopwatch(observer)
    hooks.subscribe(stopwatch, failed)
    loop = case.loop()
    timed(loop.step)(WARMING)
    shares, block = [], timed(loop.step)
    for _ in range(SAMPLES):
        stopwatch.seconds = 0.0
        whole = block(steps)
        shares.append((stopwatch.seconds / steps, whole / steps))
    hooks.unsubscribe(stopwatch)
    return median(one for one, _ in shares), median(whole for _, whole in shares)


def main() -> None:
    """Measure everything, or a fifth of the rounds of it."""
    keep_freed_memory()
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a fifth of the rounds")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    options = parser.parse_args()
    cases = {name: case for name, case in CASES.items() if options.only in name}
    lines = ["## Watch"]
    lines += tables(comparisons(cases, quick=options.quick), quick=options.quick)
    lines += inside(cases, quick=options.quick)
    lines += apart(cases, quick=options.quick)
    lines += memories(quick=options.quick)
    write_section("watch", lines)


if __name__ == "__main__":
    main()
