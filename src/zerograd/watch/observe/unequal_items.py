"""Compare the deposits of a window by their items: means over different counts, weighed alike.

A window is compared only if the observer has read every deposit of it: all of the first windows,
and some later ones (`KeptGraphs` in `loss_roots.py` says when the fast path stands aside).
"""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING

from zerograd.lifecycle import UnequalMeans
from zerograd.record import field, record
from zerograd.watch.damage.expected_gradient import TOGETHER
from zerograd.watch.gradients.recently_used import RecentlyUsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zerograd.source.lines import CallSite
    from zerograd.watch.damage.items_in_loss import Term, Terms

LONGEST = 1024
"""Deposits of a window that are compared; a longer one is taken as equal."""

ALIKE = 1e-3
"""Shares that differ by less are equal: a factor may have been rounded to 16 bits."""


@record(frozen=True)
class Unequal:
    """Deposits of one window that are weighed alike although their counts differ."""

    counts: tuple[float, ...]
    separable: bool
    """Every term varies with these counts, so the right sum can be computed from the deposits."""


def unequal(window: Sequence[Terms]) -> Unequal | None:
    """Compare the deposits of one window, each with as many terms as the others.

    Each term is judged for itself: a token loss whose counts differ beside a penalty that has
    none. Where several terms differ, they must differ together, for otherwise each term may be
    an item of its own (`sum(cross_entropy(...) for sample in batch) / len(batch)`).
    """
    if len(window) < 2 or len({len(terms) for terms in window}) != 1:
        return None
    columns = list(zip(*window, strict=True))
    if not all(_are_weighed_alike(column) for column in columns):
        return None
    differing = [_items(column) for column in columns if _differ(_items(column))]
    if not differing or not all(_vary_together(differing[0], other) for other in differing):
        return None
    return Unequal(differing[0], separable=len(differing) == len(columns))


def _items(column: Iterable[Term]) -> tuple[float, ...]:
    return tuple(term.items for term in column)


def _are_weighed_alike(column: Sequence[Term]) -> bool:
    # A term without a count has no share; there the weight must be the same.
    weights = [term.share if term.items else term.weight for term in column]
    return all(isclose(weight, weights[0], rel_tol=ALIKE) for weight in weights)


def _differ(items: Sequence[float]) -> bool:
    return all(items) and max(items) > min(items) * (1 + ALIKE)


def _vary_together(one: Sequence[float], other: Sequence[float]) -> bool:
    ratios = [mine / theirs for mine, theirs in zip(one, other, strict=True)]
    return max(ratios) <= min(ratios) * (1 + TOGETHER)


@record()
class _OpenWindow:
    source: CallSite
    steps: int
    """How many steps the run had made when it was opened."""

    deposits: list[Terms] = field(default_factory=list)
    reduced: bool = False
    """Ranks reduced in a backward of it."""


@record(frozen=True)
class ClosedWindow:
    """All items of a window, for a comparison with those of other ranks."""

    source: CallSite
    items: float
    share: float


class ItemWindows:
    """The deposits of each optimizer since its last step, by their terms."""

    def __init__(self) -> None:
        self._open: RecentlyUsed[int, _OpenWindow] = RecentlyUsed()
        self.closed: RecentlyUsed[int | None, ClosedWindow] = RecentlyUsed()
        """The last window of each optimizer, where its items are known."""

    def deposit(
        self,
        owners: Iterable[int],
        place: CallSite,
        terms: Terms,
        steps: int,
        *,
        reduced: bool = False,
    ) -> None:
        """Take in a deposit; one that shows no items, or comes from elsewhere, ends the count."""
        for number in owners:
            window = self._open.get(number)
            if window is None or window.steps != steps:
                window = self._open[number] = _OpenWindow(place, steps)
            usable = terms and window.source == place and len(window.deposits) < LONGEST
            window.deposits.append(terms if usable else ())
            window.reduced |= reduced

    def close(self, number: int, place: CallSite) -> UnequalMeans | None:
        """End an optimizer's window; return what the ledger should know of it."""
        window = self._open.pop(number, None)
        self.closed.pop(number, None)
        if window is None or not all(window.deposits):
            return None
        terms = [terms[0] for terms in window.deposits]
        if all(term.items for term in terms):
            items, share = sum(term.items for term in terms), sum(term.share for term in terms)
            self.closed[number] = ClosedWindow(window.source, items, share)
        found = unequal(window.deposits)
        if found is None:
            return None
        return UnequalMeans(
            place,
            number,
            window.source,
            deposits=len(found.counts),
            smallest=min(found.counts),
            largest=max(found.counts),
            separable=found.separable and not window.reduced,
            reduced=window.reduced,
        )
