"""Read what can be read of a text that is not valid Python: the rest keeps its lines.

Spellings of other Pythons are turned into this one's on the same line: `print x`, `async=True`,
`except E, e:`, `def f[T](x)`. What is left is taken out statement by statement; a line that spoke
of gradients becomes a call that may do anything, so that nothing is concluded from its absence.

    print "epoch", epoch        ->  pass
    x = x.cuda(async=True)      ->  x = x.cuda(asyn_=True)
    acc = (                     ->  pass
"""

from __future__ import annotations

import re
from typing import NamedTuple

from zerograd.lint.program.source_file import parse

MOST_STRETCHES = 24
"""Places of one text that are taken out before it is given up."""

LARGEST_TEXT = 300_000
"""Characters; each place costs one more parse."""

OLD_PRINT = re.compile(r"^([ \t]*|.*[:;][ \t]*)print(?:[ \t]+(?![=(])|(?=[\"'])|[ \t]*$)[^\n]*")
OLD_EXCEPT = re.compile(r"^([ \t]*except[ \t]+(?:[\w.]+|\([^()\n]*\)))[ \t]*,[ \t]*(\w+[ \t]*:)")
OLD_ASYNC = re.compile(r"\basync(?=[ \t]*=[^=])")
NEW_GENERIC = re.compile(r"^([ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+\w+)(\[[^\[\]\n]*\])")
NEW_TYPE = re.compile(r"^([ \t]*)type[ \t]+\w+(?:\[[^\n]*\])?[ \t]*=[^=\n][^\n]*")
NEW_STRING = re.compile(r"\bt(?=[\"'])")

GRADIENTS = re.compile(r"backward|zero_grad|\.grad\b|\bstep\b|clip_|scale|optim|\bopt\b")
"""A line with one of these is not simply left out."""

ANYTHING = "getattr(__unread__, __unread__)()"
"""What may have happened where a line that spoke of gradients could not be read."""

EMPTY_BLOCK = re.compile(r"expected an indented block after .* on line (\d+)")


class Unread(NamedTuple):
    """A place that was not read as it stands."""

    line: int
    reason: str
    """What the parser said."""


class Mended(NamedTuple):
    """A text that parses, with as many lines as before."""

    text: str
    unread: tuple[Unread, ...]
    """Places that were taken out; what was only respelled is not among them."""

    python: str | None
    """The language that it is written for, if that shows: `Python 2`."""


def mended(text: str) -> Mended | None:
    """Return a text with what cannot be read taken out; None if too much would be lost."""
    if len(text) > LARGEST_TEXT:
        return None
    lines, python = _respelled(_without_conflicts(text.split("\n")))
    unread: dict[int, Unread] = {}
    for _ in range(MOST_STRETCHES):
        try:
            parse("\n".join(lines))
        except SyntaxError as error:
            at = _repair(lines, error, set(unread))
            if at is None:
                return None
            unread.setdefault(at, Unread(at + 1, error.msg))
        except ValueError:
            return None
        else:
            return Mended("\n".join(lines), tuple(sorted(unread.values())), python)
    return None


def _without_conflicts(lines: list[str]) -> list[str]:
    """Keep the first side of an unresolved merge."""
    kept, is_other = [], False
    for line in lines:
        mark = line[:8].rstrip()
        if mark == "=======":
            is_other = True
        kept.append("" if is_other or mark in ("<<<<<<<", "|||||||") else line)
        if mark == ">>>>>>>":
            is_other = False
    has_conflict = any(line.startswith("<<<<<<< ") for line in lines)
    return kept if has_conflict else lines


def _respelled(lines: list[str]) -> tuple[list[str], str | None]:
    """Spell what another Python says in one line as this one does."""
    found: list[str] = []
    python = None
    for line in lines:
        old = OLD_PRINT.sub(lambda part: f"{part[1]}pass", line)
        old = OLD_EXCEPT.sub(r"\1 as \2", old)
        new = OLD_ASYNC.sub("asyn_", old)
        new = NEW_GENERIC.sub(lambda part: part[1] + " " * len(part[2]), new)
        new = NEW_TYPE.sub(r"\1pass", new)
        found.append(NEW_STRING.sub(" ", new))
        if old != line:
            python = "Python 2"
    return found, python


def _repair(lines: list[str], error: SyntaxError, before: set[int]) -> int | None:
    """Take out the place that the parser stopped at; return its line, None if there is none."""
    at = min(max((error.lineno or 1) - 1, 0), len(lines) - 1)
    empty = EMPTY_BLOCK.match(error.msg)
    if empty is not None:
        head = int(empty[1]) - 1
        lines[head] = lines[head].partition("#")[0].rstrip() + " pass"
        return head
    if error.msg == "expected ':'" and at not in before:
        code, sign, comment = lines[at].partition("#")
        lines[at] = f"{code.rstrip()}:" + (f"  {sign}{comment}" if sign else "")
        return at
    while at >= 0 and (at in before or not lines[at].strip()):
        # The parser stumbles over what stood behind a line that was taken out.
        at -= 1
        if at < 0:
            return None
        if at in before:
            after = next((place for place in range(at + 1, len(lines)) if lines[place].strip()), at)
            if after in before or after == at:
                return None
            at = after
            break
    lines[at] = _neutral(lines, at)
    return at


def _neutral(lines: list[str], at: int) -> str:
    """Return what takes the place of a line: its indentation, and the head of its block."""
    line = lines[at]
    own = _indent(line)
    before = next((item for item in reversed(lines[:at]) if item.strip()), "")
    after = next((item for item in lines[at + 1 :] if item.strip()), "")
    opens = before.partition("#")[0].rstrip().endswith(":")
    indent = own if opens or len(own) <= len(_indent(before)) else _indent(before)
    if len(_indent(after)) > len(indent) and line.rstrip().endswith(":"):
        return f"{indent}if 1:"
    return indent + (ANYTHING if GRADIENTS.search(line) else "pass")


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
