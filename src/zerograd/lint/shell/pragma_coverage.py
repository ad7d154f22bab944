"""How much of a file was judged, and where a pragma may be called unused for it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from zerograd.findings import Location
from zerograd.lint.checks.loop_coverage import LoopReach
from zerograd.lint.program.display_paths import shown, shown_location
from zerograd.lint.shell.checked import Checked
from zerograd.lint.shell.finding_identity import place
from zerograd.record import replace
from zerograd.rules import SeenBy

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Sequence

    from zerograd.findings import Finding
    from zerograd.lint.analysis import Analysis
    from zerograd.lint.program.source_file import Source
    from zerograd.rules import Rule


def reach_of(path: str, analysis: Analysis) -> Checked:
    """Return the loops that were met, and what was judged in each."""
    return Checked(
        path=path,
        loops=[_shown(loop) for loop in analysis.loops],
        elsewhere=frozenset(map(shown, analysis.elsewhere)),
    )


def _shown(loop: LoopReach) -> LoopReach:
    """Return a loop with the paths that the user reads."""
    families = loop.families and {
        name: tuple(replace(item, location=shown_location(item.location)) for item in withheld)
        for name, withheld in loop.families.items()
    }
    return replace(loop, location=shown_location(loop.location), families=families)


def given_up(path: str, source: Source, why: str) -> Checked:
    """Return the reach of a file of which nothing was judged: its first line stands for it."""
    return Checked(path=path, loops=[LoopReach(shown_location(Location(source.path, 1, 1)), why)])


def unread_stretches(source: Source) -> list[LoopReach]:
    """Return the places that were left out of a file: what stood there was not judged."""
    found = []
    for line, why in source.unread:
        cell, within = source.cell_of(line)
        place = shown_location(Location(source.path, within, 1, cell=cell))
        found.append(LoopReach(place, f"not valid Python: {why}"))
    return found


def repairable(finding: Finding, source: Source, *, is_mended: bool) -> Finding:
    """Return a finding without its repair where the text that lint read is not the file's own."""
    if finding.fix is None:
        return finding
    moved = {cell.number for cell in source.cells if cell.indent}
    # A cell that cannot be read costs its own repairs; the others are as they stand in the file.
    mended = {source.cell_of(line)[0] for line, _ in source.unread} if source.cells else set()
    is_other = finding.fix.cell in moved | mended if source.cells else is_mended
    return replace(finding, fix=None) if is_other else finding


def judge_of(
    source: Source, tree: ast.Module, loops: Sequence[LoopReach]
) -> Callable[[Rule, int], bool]:
    """Return the test whether lint would have seen a fault of a rule on a line."""

    @cache
    def unjudged() -> set[str]:
        # Only a pragma asks: most files have thousands of lines and none.
        firsts = {cell.number: cell.first_line for cell in source.cells}
        places = [loop.location for loop in loops if not loop.checked]
        lines = [firsts.get(where.cell or 0, 1) + where.line - 1 for where in places]
        return {place(line, source, tree)[0] for line in lines}

    def is_judged(rule: Rule, line: int) -> bool:
        return SeenBy.LINT in rule.seen and place(line, source, tree)[0] not in unjudged()

    return is_judged
