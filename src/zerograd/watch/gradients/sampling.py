"""Decide how many gradients to look at: all while a loop is new, one in turn once it repeats."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zerograd.watch.gradients.groups import GradientGroup

NEW = 8
"""Backwards for which everything is looked at."""

AGAIN = 128
"""After so many backwards everything is looked at again, ..."""

SELDOM = 512
"""... then at every doubling, up to once in so many: that look costs as much as five tiny steps."""


def until_again(backwards: int) -> int:
    """Return after how many backwards more everything is looked at."""
    doubled = 1 << backwards.bit_length() - 1 if backwards else 0
    apart = min(max(doubled, AGAIN), SELDOM)
    return apart - backwards % apart


class Sampling:
    """Asks how many backwards ago something new was seen."""

    __slots__ = ("_since", "at_all", "now")

    def __init__(self) -> None:
        self.now = 0
        """The number of the last backward that began."""
        self._since = 0
        self.at_all = True
        """Whether all members of each group are looked at."""

    def next(self, backwards: int) -> None:
        """Begin the backward of this number."""
        self.now = backwards
        self.at_all = backwards - self._since <= NEW or until_again(backwards - 1) == 1

    def surprise(self, group: GradientGroup) -> None:
        """Look closely again, unless this group is known for it."""
        if not group.written:
            group.written = True
            self.relapse()

    def relapse(self) -> None:
        """Look at everything for a while."""
        self._since = self.now
        self.at_all = True
