"""From the lines that matter to the functions around them, to their callers, and so on."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zerograd.lint.program.word_lines import WordLines

CALL = re.compile(r"\s*\(").match
MADE = re.compile(r"([A-Za-z_]\w*)\s*=\s*\Z").search
"""The name that is given what is made next."""

NEAR = 200
"""Characters in which that name is looked for."""


@record(frozen=True, eq=False)
class Span:
    """A function: from which line to which it goes, and how it is called."""

    name: str
    called: str
    first: int
    last: int
    maker: str
    """For `__call__`: the class whose objects are called."""


class RelevantCallers:
    """Adds callers to what they call, until there are no more of them."""

    def __init__(self, lines: WordLines, spans: Iterable[Span], found: dict[str, str]) -> None:
        self.lines = lines
        self.found = found
        """The functions that matter, with what a call of each is spelled with."""

        self._spans = sorted((span for span in spans if span.name), key=lambda span: span.first)
        self._firsts = [span.first for span in self._spans]
        self._around = _around(self._spans)
        self._searched: set[str] = set()

    def over(self, lines: set[int], names: set[str]) -> set[int]:
        """Start from lines and from names of functions that matter; return where they are called.

        `names` grows by those of the functions that are added.
        """
        every: set[int] = set()
        while True:
            called = self.lines.calling(names - self._searched, CALL)
            self._searched |= names
            every |= called
            fresh = self._holding(lines | called)
            if not fresh:
                return every
            self.found.update((span.name, span.called) for span in fresh)
            names.update(name for span in fresh for name in self._called_as(span))
            lines = set()

    def _holding(self, lines: set[int]) -> list[Span]:
        """Return the functions around these lines that were not found before."""
        fresh: dict[Span, None] = {}
        for line in lines:
            at = bisect_right(self._firsts, line) - 1
            while at >= 0:
                span = self._spans[at]
                if span in fresh:
                    break
                if line <= span.last and span.name not in self.found:
                    fresh[span] = None
                at = self._around[at]
        return sorted(fresh, key=lambda span: span.first)

    def _called_as(self, span: Span) -> set[str]:
        """Return the names that call a function here: for `__call__` those of its objects."""
        if not span.maker:
            return {span.called}
        text, word = self.lines.text, f"{span.maker}("
        found = set()
        at = text.find(word)
        while at >= 0:
            if made := MADE(text[max(0, at - NEAR) : at]):
                found.add(made[1])
            at = text.find(word, at + 1)
        return found


def _around(spans: list[Span]) -> list[int]:
    """Return for each function the place of the one that it stands in; -1 for none."""
    found: list[int] = []
    open_: list[int] = []
    for at, span in enumerate(spans):
        while open_ and spans[open_[-1]].last < span.first:
            open_.pop()
        found.append(open_[-1] if open_ else -1)
        open_.append(at)
    return found
