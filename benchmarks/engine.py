"""What the engine costs beside the hand-written loop and the training libraries.

    python benchmarks/engine.py [--quick]

prints the tables and writes them to benchmarks/RESULTS.md.
"""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import generator
import memory
import torch
from loops import by_engine, by_hand
from measure import CONTROL, Ratio, compare, keep_freed_memory
from peers import PEERS, silence
from tasks import MAKERS, tiny_mlp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from measure import Block

RESULTS = Path(__file__).with_name("RESULTS.md")
LIBRARIES = ("torch", "accelerate", "lightning", "pytorch-ignite", "transformers")
ONLY_OWN = "engine, only_own=True"
WILD = 0.05
"""An A/A control further than this from 1 tells more about the machine than about the code."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One table of ratios: a hand-written loop and what is measured beside it."""

    title: str
    baseline: Callable[[], Block]
    variants: Mapping[str, Callable[[], Block]]
    steps: int
    rounds: int
    limits: Mapping[str, float]
    """What was promised, by variant."""


def comparisons() -> Iterator[Comparison]:
    """Yield every comparison, the smallest model first."""
    yield Comparison(
        "tiny MLP (10-32-2, batch 8), no clip",
        by_hand(tiny_mlp),
        {
            "engine": by_engine(tiny_mlp),
            'engine, nonfinite="raise"': by_engine(tiny_mlp, nonfinite="raise"),
            **{name: peer(tiny_mlp) for name, peer in PEERS.items()},
        },
        steps=100,
        rounds=60,
        limits={"engine": 1.0, 'engine, nonfinite="raise"': 1.1},
    )
    yield Comparison(
        "tiny MLP, clip at norm 1",
        by_hand(tiny_mlp, clip=1.0),
        {
            "engine": by_engine(tiny_mlp, clip_norm=1.0),
            **{name: peer(tiny_mlp, clip=1.0) for name, peer in PEERS.items()},
        },
        steps=100,
        rounds=60,
        limits={"engine": 0.85},
    )
    for name in ("5 M MLP", "10 M transformer"):
        make = MAKERS[name]
        yield Comparison(
            f"{name}, clip at norm 1",
            by_hand(make, clip=1.0),
            {
                "engine": by_engine(make, clip_norm=1.0),
                **{peer: PEERS[peer](make, clip=1.0) for peer in ("Accelerate", "Fabric")},
            },
            steps=10,
            rounds=40,
            limits={"engine": 1.0},
        )
    heavy = "28 x 28 images, the discriminator heavier, batch 64"
    yield generators_step(heavy, generator.HEAVY, {ONLY_OWN: 0.8}, 10)
    yield generators_step("28 x 28 images, equal networks, batch 64", generator.IMAGES, {}, 10)
    yield generators_step("points, equal networks of width 64, batch 16", generator.POINTS, {}, 50)
    for name in ("tiny MLP", "500 small tensors", "5 M MLP"):
        yield clearing(name, steps=10 if name == "5 M MLP" else 20)


def generators_step(
    name: str, shape: generator.Shape, limits: Mapping[str, float], steps: int
) -> Comparison:
    """Compare the ways to step a GAN's generator."""
    return Comparison(
        f"generator step of a GAN of two MLPs of four layers: {name}",
        generator.by_hand(shape),
        {ONLY_OWN: generator.by_engine(shape), "by hand, inputs=": generator.with_inputs(shape)},
        steps,
        rounds=60,
        limits=limits,
    )


def clearing(name: str, *, steps: int) -> Comparison:
    """Compare the three ways of clearing, and stepping in backward, on one model."""
    make = MAKERS[name]
    ways = {
        f'engine, clear="{way}"': by_engine(make, clear=way) for way in ("none", "zero", "arena")
    }
    in_backward = {"engine, step_in_backward=True": by_engine(make, step_in_backward=True)}
    return Comparison(
        f"ways of clearing, {name}", by_hand(make), ways | in_backward, steps, 30, limits={}
    )


def measured(comparison: Comparison, rounds: int, attempts: int) -> list[Ratio]:
    """Measure, and once more where the machine was too busy to tell."""
    for _ in range(attempts):
        ratios = compare(
            comparison.baseline, comparison.variants, steps=comparison.steps, rounds=rounds
        )
        control = next(ratio for ratio in ratios if ratio.variant == CONTROL)
        if abs(control.quiet - 1) < WILD:
            break
    return ratios


def table(comparison: Comparison, ratios: list[Ratio]) -> str:
    """Return a comparison as Markdown."""
    lines = [
        f"### {comparison.title}\n",
        "| variant | median | p5 | p95 | quiet | µs a step | at most |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for one in ratios:
        limit = comparison.limits.get(one.variant)
        cells = [f"{number:.2f}" for number in (one.median, one.p5, one.p95, one.quiet)]
        cells += [f"{one.microseconds:.0f}", "" if limit is None else f"{limit:.2f}"]
        lines.append(f"| {one.variant} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def memories() -> str:
    """Return the table of peaks, each measured in a process of its own."""
    peaks = {case: memory.in_a_process(case) for case in memory.CASES}
    saved, promised = peaks["clear-none"] - peaks["step-in-backward"], memory.theory()
    lines = ["### peak memory of live tensors in a step\n", "| case | MB |", "|---|--:|"]
    lines += [f"| {case} | {peaks[case] / 1e6:.1f} |" for case in memory.CASES]
    return "\n".join(lines) + (
        f"\n\n`step_in_backward` saves {saved / 1e6:.2f} MB; one gradient set less its largest "
        f"gradient is {promised / 1e6:.2f} MB ({saved / promised - 1:+.2%}). One batch of 32 "
        f"against 4 x 8: {peaks['4-times-8'] / peaks['batch-of-32']:.2f}x.\n"
    )


def preface(rounds: str) -> str:
    """Return what was measured, where and how."""
    return f"""# Measured, on CPU

Written by `make bench`, never by hand. {_processor()}, {os.cpu_count()} cores, load \
{os.getloadavg()[0]:.1f} as it began; Python {platform.python_version()}, one thread, {rounds}; \
{", ".join(map(_with_version, LIBRARIES))}.

Ratios of CPU time to the hand-written loop of the same round, fused AdamW on both sides: median, \
5th and 95th percentile over rounds. "quiet" is the ratio of the fast blocks (p5 of their times), \
which a busy machine disturbs least. A difference inside the A/A control's spread is no result. \
glibc keeps freed memory: otherwise the layout of the heap decides who pays page faults. \
Lightning's and Transformers' trainers own the loop, so their time includes fetching the batch.
"""


def _processor() -> str:
    """Return the processor's name where the system tells it."""
    known = Path("/proc/cpuinfo")
    lines = known.read_text("utf-8").splitlines() if known.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _with_version(library: str) -> str:
    try:
        return f"{library} {version(library)}"
    except PackageNotFoundError:
        return f"{library} not installed"


def main() -> None:
    """Measure everything, or a fifth of the rounds of it."""
    keep_freed_memory()
    quick = "--quick" in sys.argv[1:]
    torch.set_num_threads(1)
    silence()
    parts = [preface("a fifth of the rounds (quick)" if quick else "all rounds")]
    for comparison in comparisons():
        rounds = max(comparison.rounds // 5, 8) if quick else comparison.rounds
        parts.append(table(comparison, measured(comparison, rounds, attempts=1 if quick else 3)))
        print(parts[-1], flush=True)
    parts.append(memories())
    print(parts[-1])
    RESULTS.write_text("\n".join(parts), "utf-8")


if __name__ == "__main__":
    main()
