"""Ranks in words: "rank 3", "ranks 0 and 2", "ranks 0 to 7"."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def listed(ranks: Iterable[int]) -> str:
    """Return some ranks in words, runs of three or more in short."""
    runs: list[list[int]] = []
    for rank in sorted(set(ranks)):
        if runs and runs[-1][-1] == rank - 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    parts = [part for run in runs for part in _parts(run)]
    several = len(parts) > 1 or " to " in parts[0]
    *most, last = parts
    words = f"{', '.join(most)} and {last}" if most else last
    return f"ranks {words}" if several else f"rank {words}"


def _parts(run: list[int]) -> list[str]:
    return [f"{run[0]} to {run[-1]}"] if len(run) > 2 else [str(rank) for rank in run]
