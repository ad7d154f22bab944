"""What people said about every loud finding, and how today's findings differ from that."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

RECORDED = Path(__file__).with_name("findings.toml")
READINGS = ("real", "false")


@dataclass(frozen=True, slots=True, order=True)
class Loud:
    """A finding at error or warning level, by its place."""

    package: str
    file: str
    """Within the unpacked archive."""

    line: int
    rule: str

    def __str__(self) -> str:
        return f"{self.package}: {self.file}:{self.line}: {self.rule}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What two readings of one finding came to."""

    finding: Loud
    verdict: str
    why: str
    """One sentence of the first reader."""

    again: str
    """One sentence of the second, who had not seen the first."""


@dataclass(slots=True)
class Changes:
    """Where findings and verdicts part."""

    new: list[Loud] = field(default_factory=list)
    gone: list[Loud] = field(default_factory=list)
    moved: list[tuple[Loud, Loud]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.new or self.gone or self.moved)


def read_verdicts(path: Path = RECORDED) -> list[Verdict]:
    """Return everything that was read, in the order of the file."""
    entries = tomllib.loads(path.read_text("utf-8")).get("finding", [])
    return [
        Verdict(
            Loud(entry["package"], entry["file"], entry["line"], entry["rule"]),
            entry["verdict"],
            entry["why"],
            entry["again"],
        )
        for entry in entries
    ]


def changes(recorded: Iterable[Loud], found: Iterable[Loud]) -> Changes:
    """Return what is new, what is gone, and what only stands on another line."""
    before, after = set(recorded), set(found)
    gone, new = sorted(before - after), sorted(after - before)
    result = Changes()
    elsewhere = defaultdict(list)
    for finding in gone:
        elsewhere[finding.package, finding.file, finding.rule].append(finding)
    for finding in new:
        old = elsewhere[finding.package, finding.file, finding.rule]
        if old:
            result.moved.append((old.pop(0), finding))
        else:
            result.new.append(finding)
    result.gone = sorted(finding for left in elsewhere.values() for finding in left)
    return result


def told(difference: Changes) -> Iterator[str]:
    """Yield what changed, and after it what to type."""
    for finding in difference.new:
        yield f"new      {finding}"
    for finding in difference.gone:
        yield f"gone     {finding}"
    for before, after in difference.moved:
        yield f"moved    {before} -> line {after.line}"
    yield ""
    if difference.gone:
        yield f"Remove what is gone from ecosystem/{RECORDED.name} if lint is right to be silent."
    if difference.moved:
        yield f"Correct the lines in ecosystem/{RECORDED.name} if lint is right to have moved."
    if difference.new:
        yield "Read each new finding twice, the second time without the first sentence before you,"
        yield f"and add it to ecosystem/{RECORDED.name} (one that is false is a bug of lint):"
        for finding in difference.new:
            yield from ("", *entry(finding))


def entry(finding: Loud) -> tuple[str, ...]:
    """Return the lines that record a finding, for a reader to complete."""
    return (
        "[[finding]]",
        f'package = "{finding.package}"',
        f'file = "{finding.file}"',
        f"line = {finding.line}",
        f'rule = "{finding.rule}"',
        'verdict = ""  # real or false',
        'why = ""',
        'again = ""',
    )
