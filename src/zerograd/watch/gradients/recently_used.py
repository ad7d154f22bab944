"""A dictionary of bounded size: a script that keeps making new models must not fill memory."""

from __future__ import annotations

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

MOST = 128
"""Far more than the lines of a training; a program with more is asked again now and then."""


class RecentlyUsed(dict[K, V], Generic[K, V]):
    """A dictionary that begins anew when it is full."""

    def __setitem__(self, key: K, value: V) -> None:
        if len(self) >= MOST and key not in self:
            self.clear()
        super().__setitem__(key, value)
