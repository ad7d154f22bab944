"""`zerograd lint --why-silent`: what was judged in each loop, what was withheld, and why."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zerograd.lint.checks.loop_coverage import FAMILIES
from zerograd.printable import printable
from zerograd.reports.words import place
from zerograd.rules.sections import SECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings import Finding, Location, Withheld
    from zerograd.lint.checks.loop_coverage import LoopReach
    from zerograd.lint.shell.checked import Checked

WITH_LINE = re.compile(r"(.+):([1-9]\d*)")
CLEAN = "checked, nothing found"
NOT_APPLICABLE = "does not apply: nothing here is about it"


def asked(paths: tuple[Path, ...], given: str) -> tuple[Path, int | None]:
    """Return the file and the line that `FILE[:LINE]` asks about."""
    if paths:
        raise click.UsageError(
            f"--why-silent takes one file and no other paths: zerograd lint --why-silent {given}"
        )
    found = WITH_LINE.fullmatch(given)
    if found is None or Path(given).exists():
        return Path(given), None
    return Path(found[1]), int(found[2])


def tell(files: list[Checked], line: int | None) -> None:
    """Write what was judged in the loops of a file, or in those around one line."""
    loops = [(loop, file) for file in files for loop in file.loops]
    chosen = [(loop, file) for loop, file in loops if line is None or _holds(loop, line)]
    if not chosen:
        where = "in this file" if line is None else f"around line {line}"
        others = ", ".join(str(loop.location.line) for loop, _ in loops)
        known = f"; the loops begin at line {others}" if others and line is not None else ""
        sys.stdout.write(f"no training loop {where}{known}\n")
    for loop, file in chosen:
        sys.stdout.write(f"{place(loop.location)}: {_headline(loop)}\n")
        sys.stdout.writelines(_lines(loop, file))


def _holds(loop: LoopReach, line: int) -> bool:
    about = [item.location.line for items in (loop.families or {}).values() for item in items]
    return loop.location.line <= line <= loop.location.last_line or line in about


def _headline(loop: LoopReach) -> str:
    if loop.stopped is not None:
        return f"this loop was not checked: {printable(loop.stopped)}"
    return "this loop was followed to its end"


def _lines(loop: LoopReach, file: Checked) -> Iterator[str]:
    if loop.families is None:
        return
    for family in FAMILIES:
        said = list(_said(family, loop, file))
        for number, words in enumerate(said):
            yield f"    {family if number == 0 else '':10}{words}\n"


def _said(family: str, loop: LoopReach, file: Checked) -> Iterator[str]:
    assert loop.families is not None
    found = [item for item in file.findings if _is_about(item, family, loop)]
    withheld = loop.families.get(family, ())
    for finding in found:
        yield f"{finding.severity}: {finding.rule.name} at line {finding.location.line}"
    for item in withheld:
        yield _lacking(item)
    if not found and not withheld:
        yield CLEAN if family in loop.families else NOT_APPLICABLE


def _lacking(item: Withheld) -> str:
    how = "withheld" if item.severity is None else f"only a {item.severity}"
    lacks = printable("; nor that ".join(item.lacks))
    where = f"{item.rule} at line {item.location.line}"
    return f"{how}: {where}: lint could not show that {lacks}"


def _is_about(finding: Finding, family: str, loop: LoopReach) -> bool:
    """Tell whether a finding of a family stands in a loop, and no assumption made it a hint."""
    if SECTIONS[finding.rule.section] != family or not _is_inside(finding.location, loop.location):
        return False
    quiet = (loop.families or {}).get(family, ())
    return (finding.rule.name, finding.location) not in [
        (item.rule, item.location) for item in quiet
    ]


def _is_inside(inner: Location, outer: Location) -> bool:
    same = (inner.path, inner.cell) == (outer.path, outer.cell)
    return same and outer.line <= inner.line <= outer.last_line
