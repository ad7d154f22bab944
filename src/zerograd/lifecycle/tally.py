"""Count faults that repeat: one entry for each rule and line, with the number of occurrences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.record import record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zerograd.lifecycle.events import Place
    from zerograd.lifecycle.fault import Fault


@record()
class Entry:
    """All occurrences of one rule at one place."""

    fault: Fault
    """The first of the gravest."""

    count: int
    first_step: int
    last_step: int
    is_past: bool = False
    """It happened in an earlier chapter, and not in this one."""

    def is_graver(self, fault: Fault) -> bool:
        """Tell whether an occurrence is graver than all before it."""
        return fault.severity.rank < self.fault.severity.rank


class Tally:
    """Counts occurrences by rule and place; memory grows with the program, not with the run."""

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: dict[tuple[str, Place], Entry] = {}

    def add(self, faults: Iterable[Fault]) -> None:
        """Count each of these occurrences."""
        for fault in faults:
            entry = self._entries.get((fault.rule, fault.place))
            if entry is None or entry.is_past:
                self._entries[fault.rule, fault.place] = Entry(fault, 1, fault.step, fault.step)
                continue
            entry.count += 1
            entry.last_step = fault.step
            if entry.is_graver(fault):
                entry.fault = fault

    def knows(self, fault: Fault) -> bool:
        """Tell whether this rule was found at this place before, in this chapter."""
        entry = self._entries.get((fault.rule, fault.place))
        return entry is not None and not entry.is_past

    def begin_chapter(self) -> None:
        """Count anew what happens again: a notebook's cell that is run a second time."""
        for entry in self:
            entry.is_past = True

    def entry(self, fault: Fault) -> Entry:
        """Return the entry of a fault that was added."""
        return self._entries[fault.rule, fault.place]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)
