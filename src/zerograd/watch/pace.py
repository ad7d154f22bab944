"""How closely to look: at every parameter while a loop is new, at one in turn once it is calm."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zerograd.watch.members import Group

NEW = 8
"""Backwards for which everything is looked at."""

AGAIN = 32
"""Every so many backwards everything is looked at again."""


class Pace:
    """Counts backwards since something new was seen."""

    __slots__ = ("_calm", "_counted", "at_all")

    def __init__(self) -> None:
        self._counted = 0
        self._calm = 0
        self.at_all = True
        """Whether all members of each group are looked at."""

    def next(self) -> None:
        """Begin another backward."""
        self._counted += 1
        self._calm += 1
        self.at_all = self._calm <= NEW or self._counted % AGAIN == 0

    def surprise(self, group: Group) -> None:
        """Look closely again, unless this group is known for it."""
        if not group.written:
            group.written = True
            self.relapse()

    def relapse(self) -> None:
        """Look at everything for a while."""
        self._calm = 0
        self.at_all = True
