"""The owner of accounts: one optimizer, its cells, its open window and its habits."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING

from zerograd.lifecycle.habits import Habits
from zerograd.lifecycle.transitions import NOTHING_LIES, State
from zerograd.lifecycle.window import Content, Window

if TYPE_CHECKING:
    from collections.abc import Hashable

    from zerograd.lifecycle.cells import Cell
    from zerograd.lifecycle.events import Place, Step


@dataclass(slots=True, eq=False)
class Owner:
    """What the books know of one optimizer."""

    optimizer: Hashable
    place: Place
    """Its construction."""

    anonymous: bool = False
    """A manual update: nobody built it."""

    shapes: Hashable = None
    cells: list[Cell] = field(default_factory=list)
    window: Window = field(default_factory=Window)
    habits: Habits = field(default_factory=Habits)
    steps: int = 0
    """Steps that spent, skipped ones included."""

    called: bool = False
    """`step` was called at all."""

    calls: int = 0
    """Calls on non-zero gradients, up to ENOUGH."""

    ever_moved: bool = False
    """One of them changed a parameter."""

    inner: bool = False
    """Its step ran inside another optimizer's, which answers for both."""

    last_step: Step | None = None
    ever_deposited: bool = False
    reported: set[str] = field(default_factory=set)
    """The rules reported so far as more than a hint: some absorb others."""

    said: set[tuple[str, Hashable]] = field(default_factory=set)
    """What is true of the run rather than of a step, and was said."""

    def take(self, cell: Cell) -> None:
        """Become an owner of a cell, with what already lies in it."""
        if cell in self.cells:
            return
        self.cells.append(cell)
        cell.owners.append(self)
        self._find_lying(cell)

    def open_window(self) -> None:
        """Begin a window, with what still lies fresh."""
        self.window = Window()
        for cell in self.cells:
            self._find_lying(cell)

    def _find_lying(self, cell: Cell) -> None:
        for source, lot in cell.account.lots.items():
            self.window.lying.setdefault(source, lot.newest)

    def is_empty(self) -> bool:
        """Nothing lies in any account."""
        return all(cell.account.state in NOTHING_LIES for cell in self.cells)

    def holding(self, state: State) -> list[Cell]:
        """Return the cells in a state."""
        return [cell for cell in self.cells if cell.account.state is state]

    def content(self) -> Content:
        """Sum up what lies fresh, if it is of one source."""
        # After `.grad = tensor` a fresh account has no lots: its source is unknown.
        lots = [lot for cell in self.cells for lot in cell.account.lots.values()]
        sources = {lot.newest.source for lot in lots}
        if len(sources) != 1:
            return Content()
        largest = max(lots, key=attrgetter("count"))
        return Content(largest.count, largest.newest.source, largest)

    def forget_cleared(self) -> None:
        """Drop from the window's order of sources what no longer lies anywhere."""
        lying = {source for cell in self.cells for source in cell.account.lots}
        for source in self.window.lying.keys() - lying:
            del self.window.lying[source]
            self.window.followers.pop(source, None)

    def say_once(self, rule: str, about: Hashable = None) -> bool:
        """Tell whether this is new, and remember it."""
        new = (rule, about) not in self.said
        self.said.add((rule, about))
        return new
