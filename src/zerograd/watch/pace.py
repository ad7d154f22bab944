"""How closely to look: at every parameter while a loop is new, at one in turn once it is calm."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zerograd.watch.members import Group

NEW = 8
"""Backwards for which everything is looked at."""

AGAIN = 128
"""Every so many backwards everything is looked at again."""


class Pace:
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
        self.at_all = backwards - self._since <= NEW or backwards % AGAIN == 0

    def surprise(self, group: Group) -> None:
        """Look closely again, unless this group is known for it."""
        if not group.written:
            group.written = True
            self.relapse()

    def relapse(self) -> None:
        """Look at everything for a while."""
        self._since = self.now
        self.at_all = True
