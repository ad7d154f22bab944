"""One optimizer as the owner of accounts: its groups, its open window and its statistics."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from zerograd.lifecycle.transitions import NOTHING_LIES, State
from zerograd.lifecycle.window import Content, Window
from zerograd.lifecycle.window_statistics import WindowStatistics
from zerograd.record import field, record

if TYPE_CHECKING:
    from collections.abc import Hashable

    from zerograd.lifecycle.events import Place, Source, Step
    from zerograd.lifecycle.parameter_groups import ParameterGroup


@record(eq=False)
class Owner:
    """What the books know of one optimizer."""

    optimizer: Hashable
    place: Place
    """Its construction."""

    anonymous: bool = False
    """A manual update: nobody built it."""

    shapes: Hashable = None
    groups: list[ParameterGroup] = field(default_factory=list)
    window: Window = field(default_factory=Window)
    statistics: WindowStatistics = field(default_factory=WindowStatistics)
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
    spends_at: set[Place] = field(default_factory=set)
    """The lines whose steps found something to spend."""

    idle_credit: int = 0
    """Windows that were spent, up to eight, less two for each step that found nothing."""

    ever_deposited: bool = False
    sources: set[Source] = field(default_factory=set)
    """The lines whose deposits have reached it."""

    reported: set[str] = field(default_factory=set)
    """The rules reported so far as more than a hint: some absorb others."""

    said: set[tuple[str, Hashable]] = field(default_factory=set)
    """What is true of the run rather than of a step, and was said."""

    def take(self, group: ParameterGroup) -> None:
        """Become an owner of a group, with what already lies in it."""
        if group in self.groups:
            return
        self.groups.append(group)
        group.owners.append(self)
        self._find_lying(group)

    def open_window(self) -> None:
        """Begin a window, with what still lies fresh."""
        self.window = Window()
        for group in self.groups:
            self._find_lying(group)

    def _find_lying(self, group: ParameterGroup) -> None:
        for source, lot in group.account.lots.items():
            self.window.lying.setdefault(source, lot.newest)

    def is_empty(self) -> bool:
        """Nothing lies in any account."""
        return all(group.account.state in NOTHING_LIES for group in self.groups)

    def holding(self, state: State) -> list[ParameterGroup]:
        """Return the groups in a state."""
        return [group for group in self.groups if group.account.state is state]

    def content(self) -> Content:
        """Sum up what lies fresh, if it is of one source."""
        # After `.grad = tensor` a fresh account has no lots: its source is unknown.
        lots = [lot for group in self.groups for lot in group.account.lots.values()]
        sources = {lot.newest.source for lot in lots}
        if len(sources) != 1:
            return Content()
        largest = max(lots, key=attrgetter("count"))
        return Content(largest.count, largest.newest.source, largest)

    def forget_cleared(self) -> None:
        """Drop from the window what it says of deposits that no longer lie anywhere.

        Another optimizer over the same parameters may have spent them before they were cleared.
        """
        if self.is_empty():
            self.window.again = self.window.scaled_clip = None
        lying = {source for group in self.groups for source in group.account.lots}
        for source in self.window.lying.keys() - lying:
            del self.window.lying[source]
            self.window.followers.pop(source, None)

    def say_once(self, rule: str, about: Hashable = None) -> bool:
        """Tell whether this is new, and remember it."""
        new = (rule, about) not in self.said
        self.said.add((rule, about))
        return new
