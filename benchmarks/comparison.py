"""A table of ratios: a hand-written loop, what is measured beside it, and what was promised."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from measure import CONTROL, Ratio, compare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from measure import Block

WILD = 0.05
"""An A/A control further than this from 1 tells more about the machine than about the code."""

ATTEMPTS = 3
"""How often a full run measures at most, where the machine was too busy to tell."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One table: a hand-written loop and what is measured beside it."""

    title: str
    baseline: Callable[[], Block]
    variants: Mapping[str, Callable[[], Block]]
    steps: int
    rounds: int
    limits: Mapping[str, float]
    """What was promised, by variant."""


def tables(comparisons: Iterable[Comparison], *, quick: bool) -> list[str]:
    """Measure each comparison, print its table and return the lines of all."""
    lines: list[str] = []
    for full in comparisons:
        comparison = _shortened(full) if quick else full
        table = _table(comparison, _measured(comparison, 1 if quick else ATTEMPTS))
        print("\n".join(table), flush=True)
        lines += table
    return lines


def _shortened(full: Comparison) -> Comparison:
    """Return a comparison of fewer rounds, and shorter ones."""
    return replace(full, rounds=max(full.rounds // 5, 8), steps=max(full.steps // 4, 1))


def _measured(comparison: Comparison, attempts: int) -> list[Ratio]:
    """Measure, and once more where the machine was too busy to tell."""
    for _ in range(attempts):
        ratios = compare(
            comparison.baseline,
            comparison.variants,
            steps=comparison.steps,
            rounds=comparison.rounds,
        )
        control = next(ratio for ratio in ratios if ratio.variant == CONTROL)
        if abs(control.quiet - 1) < WILD:
            break
    return ratios


def _table(comparison: Comparison, ratios: list[Ratio]) -> list[str]:
    """Return a comparison as lines of Markdown."""
    lines = [
        "",
        f"### {comparison.title}",
        "",
        f"| {comparison.rounds} rounds | median | p5 | p95 | quiet | µs a step | at most |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for one in ratios:
        limit = comparison.limits.get(one.variant)
        cells = [f"{number:.2f}" for number in (one.median, one.p5, one.p95, one.quiet)]
        cells += [f"{one.microseconds:.0f}", "" if limit is None else f"{limit:.2f}"]
        lines.append(f"| {one.variant} | {' | '.join(cells)} |")
    return lines
