"""The lines of a text on which words stand, found without parsing it."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from zerograd.lint.program.module import is_word

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import TypeAlias

    Rest: TypeAlias = Callable[[str, int], object]
    """Tells whether what follows a word in a text makes it one that was looked for."""

CALLED = re.compile(r"\b\w++(?=\s*+\()")

FEW = 32
"""Names; all calls of a text are listed once rather than searched for more of them."""


class WordLines:
    """Finds words in a text, and tells on which lines; comments count: a superset."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._searched = 0

    @cached_property
    def ends(self) -> list[int]:
        """Where each line ends in the text, to tell the line of a place in it."""
        return list(accumulate(len(line) + 1 for line in self.text.split("\n")))

    def having(self, words: Mapping[str, Rest | None], *, whole: bool = False) -> set[int]:
        """Return the lines on which one of the words stands.

        A `whole` word is not the end of a longer one.
        """
        # One search for each plain word is several times faster than one for all alternatives.
        text, ends = self.text, self.ends
        found: set[int] = set()
        for word, rest in words.items():
            at = text.find(word)
            while at >= 0:
                after = at + len(word)
                begins = not whole or at == 0 or not is_word(text[at - 1])
                if begins and (rest is None or rest(text, after)):
                    line = bisect_right(ends, at)
                    found.add(line + 1)
                    after = ends[line]
                at = text.find(word, after)
        return found

    def calling(self, names: Collection[str], call: Rest) -> set[int]:
        """Return the lines on which one of the names is called."""
        self._searched += len(names)
        if self._searched <= FEW:
            return self.having(dict.fromkeys(names, call), whole=True)
        return {line for name in names for line in self._calls.get(name, ())}

    @cached_property
    def _calls(self) -> dict[str, list[int]]:
        """Every name that is called, with the lines of its calls."""
        found: dict[str, list[int]] = {}
        for match in CALLED.finditer(self.text):
            found.setdefault(match.group(), []).append(bisect_right(self.ends, match.start()) + 1)
        return found
