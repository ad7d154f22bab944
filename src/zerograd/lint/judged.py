"""How much of a file was judged, and where a pragma may be called unused for it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from zerograd.findings import Location, Unchecked
from zerograd.lint.checked import Checked
from zerograd.lint.identity import place
from zerograd.lint.shown import shown, shown_location
from zerograd.rules import Seen

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Sequence

    from zerograd.lint.analysis import Analysis
    from zerograd.lint.source import Source
    from zerograd.rules import Rule


def reach_of(path: str, analysis: Analysis) -> Checked:
    """Return how many loops were met, and those that were not judged."""
    unchecked = [
        Unchecked(loop.stopped, shown_location(loop.location))
        for loop in analysis.loops
        if loop.stopped is not None
    ]
    return Checked(
        path=path,
        loops=len(analysis.loops),
        unchecked=unchecked,
        elsewhere=frozenset(map(shown, analysis.elsewhere)),
    )


def given_up(path: str, source: Source, why: str) -> Checked:
    """Return the reach of a file of which nothing was judged: its first line stands for it."""
    whole = shown_location(Location(source.path, 1, 1))
    return Checked(path=path, loops=1, unchecked=[Unchecked(why, whole)])


def judge_of(
    source: Source, tree: ast.Module, unchecked: Sequence[Unchecked]
) -> Callable[[Rule, int], bool]:
    """Return the test whether lint would have seen a fault of a rule on a line."""

    @cache
    def unjudged() -> set[str]:
        # Only a pragma asks: most files have thousands of lines and none.
        firsts = {cell.number: cell.first_line for cell in source.cells}
        places = [loop.location for loop in unchecked]
        lines = [firsts.get(item.cell or 0, 1) + item.line - 1 for item in places]
        return {place(line, source, tree)[0] for line in lines}

    def is_judged(rule: Rule, line: int) -> bool:
        return Seen.LINT in rule.seen and place(line, source, tree)[0] not in unjudged()

    return is_judged
