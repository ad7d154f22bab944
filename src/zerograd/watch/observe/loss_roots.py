"""Detect losses that live on: part of a later loss, or alive after their step.

A mark in a node's metadata lives exactly as long as the node: while no mark lives, there is
nothing to search for.
"""

from __future__ import annotations

from collections import deque
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakSet, ref

from zerograd.watch.observe.loss_graph import function_of, nodes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zerograd.source.lines import CallSite

ROOT = "zerograd.root"
ALIVE = "zerograd.alive"

SEARCHED = 2_000
"""How many nodes of a graph are searched for earlier roots."""

RUN = 13
"""So many windows running are asked whether their graphs stay alive: twelve, and one to begin."""

MOST = 8
"""So many of the last twelve graphs are alive at once where memory grows: a program that looks at
its last few losses keeps fewer. In a shorter run, all but two."""

LONGEST_RUN = 4 * RUN
"""So many at most, when another optimizer does not come to its own."""

REST = 4_096
"""After such a run, so many backwards pass unasked."""


class NodeMark:
    """Something that a weak reference can point to."""

    __slots__ = ("__weakref__", "number")

    def __init__(self, number: int = 0) -> None:
        self.number = number


class Retained:
    """The roots whose graphs were retained, as long as they live."""

    def __init__(self) -> None:
        self.any = False
        """Whether one of them may be alive."""
        self._numbers = count(1)
        self._marks: WeakSet[NodeMark] = WeakSet()

    def reached_from(self, roots: Iterable[Any]) -> tuple[int, ...]:
        """Return the earlier roots that are part of these, or are these."""
        self.any = bool(self._marks)
        if not self.any:
            return ()
        found = (node.metadata.get(ROOT) for node in nodes(roots, SEARCHED))
        return tuple(mark.number for mark in found if mark is not None)

    def retain(self, roots: Iterable[Any]) -> int | None:
        """Mark a root whose graph will outlive its backward, and return its number."""
        function = next((f for root in roots if (f := function_of(root)) is not None), None)
        if function is None:
            return None
        mark = function.metadata.get(ROOT)
        if mark is None:
            mark = function.metadata[ROOT] = NodeMark(next(self._numbers))
            self._marks.add(mark)
            self.any = True
        return int(mark.number)


def _alive(spent: list[tuple[ref[NodeMark], CallSite]]) -> list[CallSite]:
    """Return the sources of those graphs that are still alive, each once."""
    return list(dict.fromkeys(source for mark, source in spent if mark() is not None))


class KeptGraphs:
    """Asks of some windows running whether their losses' graphs outlive the next step."""

    def __init__(self) -> None:
        self.asking = True
        self._again = 0
        """The backward from which graphs are asked for again."""
        self._windows: dict[int, int] = {}
        """How many steps of each optimizer were counted in this run of windows."""
        self._made: list[tuple[ref[NodeMark], CallSite]] = []
        """The deposits since the last step, of whatever optimizer."""
        self._spent: dict[int, deque[list[tuple[ref[NodeMark], CallSite]]]] = {}
        """What the last steps of each optimizer spent, the newest last."""

    def deposit(self, roots: Iterable[Any], source: CallSite, backwards: int) -> None:
        """Mark the graph of a deposit, unless nobody asks at the moment."""
        if not self.asking and backwards >= self._again:
            self._windows.clear()
            self._spent.clear()
            self._made, self.asking = [], True
        if not self.asking:
            return
        for root in roots:
            function = function_of(root)
            if function is not None:
                mark = function.metadata.setdefault(ALIVE, NodeMark())
                self._made.append((ref(mark), source))

    def step(self, number: int, backwards: int) -> CallSite | None:
        """Spend what was deposited; return a source whose last spent graph is still alive."""
        if not self.asking and number in self._windows:
            return None
        windows = self._windows[number] = self._windows.get(number, 0) + 1
        # One optimizer may have stopped before its run was over: the others do not wait for it.
        self.asking = windows <= LONGEST_RUN and min(self._windows.values()) <= RUN
        self._again = backwards + REST
        before = self._spent.setdefault(number, deque(maxlen=RUN))
        alive = _alive(before[-1]) if before else []
        # What lived through one step may be the last loss; what grows keeps most of them.
        living = sum(bool(_alive(spent)) for spent in before)
        grows = living >= min(len(before) - 2, MOST)
        before.append(self._made)
        self._made = []
        return alive[windows % len(alive)] if alive and grows else None

    def forget(self, number: int) -> None:
        """Drop an optimizer that no longer exists."""
        self._windows.pop(number, None)
        self._spent.pop(number, None)
