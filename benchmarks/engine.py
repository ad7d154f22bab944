"""What the engine costs beside the hand-written loop and the training libraries.

    python benchmarks/engine.py [--quick]

prints the tables and writes them into benchmarks/RESULTS.md.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import torch
from comparison import Comparison, tables
from loops import by_engine, by_hand
from measure import keep_freed_memory
from peers import PEERS, silence
from results import write_section
from tasks import MAKERS, tiny_mlp

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGINE = """## The engine

Ratios to the hand-written loop of the same round, fused AdamW on both sides, one thread. glibc \
keeps freed memory: otherwise the layout of the heap decides who pays page faults. Lightning's and \
Transformers' trainers own the loop, so their time includes fetching the batch."""

CLEARING = """## Ways of clearing

Ratios to the hand-written loop of the same round, whose `zero_grad()` sets None."""


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


def ways_of_clearing() -> Iterator[Comparison]:
    """Yield the two ways of clearing, and stepping in backward, on three models."""
    for name in ("tiny MLP", "500 small tensors", "5 M MLP"):
        yield clearing(name, steps=10 if name == "5 M MLP" else 20)


def clearing(name: str, *, steps: int) -> Comparison:
    """Compare the two ways of clearing, and stepping in backward, on one model."""
    make = MAKERS[name]
    ways = {f'engine, clear="{way}"': by_engine(make, clear=way) for way in ("none", "zero")}
    in_backward = {"engine, step_in_backward=True": by_engine(make, step_in_backward=True)}
    return Comparison(name, by_hand(make), ways | in_backward, steps, 30, limits={})


def main() -> None:
    """Measure everything, in fewer and shorter rounds if it has to be quick."""
    keep_freed_memory()
    quick = "--quick" in sys.argv[1:]
    torch.set_num_threads(1)
    silence()
    write_section("engine", [ENGINE, *tables(comparisons(), quick=quick)])
    write_section("clearing", [CLEARING, *tables(ways_of_clearing(), quick=quick)])


if __name__ == "__main__":
    main()
