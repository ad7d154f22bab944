"""What this rank holds at sampled steps, written down to be compared with the others' later.

Never a collective: one that a rank does not reach would hang the others. Each rank writes to its
own journal, and whoever reads them all compares (`comparing.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zerograd.watch.ranks.checksums import checksums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from zerograd.source.lines import CallSite
    from zerograd.watch.ranks.shared import SharedParameters


class Records:
    """Takes down checksums, at the same steps on every rank."""

    def __init__(
        self,
        write: Callable[[dict[str, Any]], None],
        state: Callable[[CallSite], dict[str, Any] | None],
        state_unequal: Callable[[CallSite], dict[str, Any] | None] | None = None,
    ) -> None:
        self.write = write
        self._state = state
        """Returns the finding to report at a step if the ranks part there, if it is wanted."""
        self._state_unequal = state_unequal
        """The same for a deposit whose items differ between the ranks; None: nobody asks."""
        self._places: dict[CallSite, int] = {}
        self._named: set[tuple[str, tuple[int, ...]]] = set()

    def take(self, step: int, place: CallSite, shared: Iterable[SharedParameters]) -> None:
        """Write down what a step is about to spend, and on what."""
        for one in shared:
            finding = self._state(place)
            if finding is not None:
                self.write({"held": self._record(one, step, place, finding)})

    def count(
        self,
        step: int,
        source: CallSite,
        items: float,
        share: float,
        shared: Iterable[SharedParameters],
    ) -> None:
        """Write down over how many items what this rank gives to a step is a mean."""
        for one in shared:
            finding = None if self._state_unequal is None else self._state_unequal(source)
            if finding is None:
                return
            record: dict[str, Any] = {"key": one.key, "ranks": one.ranks, "step": step}
            if source not in self._places:
                self._places[source] = len(self._places)
                record["finding"] = finding
            record |= {"place": self._places[source], "items": items, "share": share}
            self.write({"items": record})

    def _record(
        self, one: SharedParameters, step: int, place: CallSite, finding: dict[str, Any]
    ) -> dict[str, Any]:
        record: dict[str, Any] = {"key": one.key, "ranks": one.ranks, "step": step}
        if place not in self._places:
            self._places[place] = len(self._places)
            record["finding"] = finding
        record["place"] = self._places[place]
        if (one.key, one.ranks) not in self._named:
            self._named.add((one.key, one.ranks))
            record["names"] = one.names
        record["gradients"] = checksums([parameter.grad for parameter in one.parameters])
        record["parameters"] = checksums(one.parameters)
        return record
