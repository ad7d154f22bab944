"""Suppression by comment: `# zerograd: ignore[missing-zero]`, read alike by lint and watch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from zerograd.findings.logical_lines import comments
from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zerograd.findings.logical_lines import Comment

MARK = "zerograd:"
"""A file without it has no pragma, and is not tokenized for one."""

FILE_LINES = 20
"""`ignore-file` counts only this near to the top, where a reader sees it."""

# A pragma may follow another tool's: `# type: ignore  # zerograd: ignore[missing-zero]`. One that
# is quoted, as in "write `# zerograd: ignore[rule]`", follows no space and is prose.
PRAGMA = r"(?<!\S)#\s*zerograd:\s*(?P<verb>[\w-]+)[ \t]*(?:\[(?P<rules>[^\]]*)\])?"
RULE = r"[^,\s]+"


class Named(NamedTuple):
    """One rule as a pragma spells it, and its 1-based column."""

    text: str
    column: int


WHOLE_FILE = range(1, 1 << 62)


@record(eq=False)
class Pragma:
    """One comment that silences rules on the lines it covers."""

    verb: str
    """`ignore` or `ignore-file`; anything else is a mistake that ZG003 reports."""

    rules: tuple[Named, ...]
    line: int
    column: int
    end_column: int
    covers: range
    """Lines; those of the statement it stands on or above, or all of the file."""

    after: str = ""
    """What follows it in its comment, up to the next one."""


def read_pragmas(text: str) -> list[Pragma]:
    """Return the pragmas of a module, in source order."""
    if MARK not in text:
        return []
    return [pragma for comment in comments(text) for pragma in pragmas_in(comment)]


def pragmas_in(comment: Comment) -> Iterator[Pragma]:
    """Yield the pragmas of one comment; what only mentions zerograd is prose."""
    for found in re.finditer(PRAGMA, comment.text):
        verb, rules = found["verb"], found["rules"]
        if rules is None and not verb.startswith("ignore"):
            continue
        yield Pragma(
            verb=verb,
            rules=tuple(named(found, comment.column)) if rules else (),
            line=comment.line,
            column=comment.column + found.start(),
            end_column=comment.column + found.end(),
            covers=coverage(verb, comment),
            after=comment.text[found.end() :].partition("#")[0],
        )


def named(found: re.Match[str], column: int) -> Iterator[Named]:
    """Yield the rules between a pragma's brackets."""
    for rule in re.compile(RULE).finditer(found.string, *found.span("rules")):
        yield Named(rule[0], column + rule.start())


def coverage(verb: str, comment: Comment) -> range:
    """Return the lines that a pragma speaks for."""
    if verb == "ignore-file":
        return WHOLE_FILE if comment.line <= FILE_LINES else range(0)
    return comment.statement if verb == "ignore" else range(0)
