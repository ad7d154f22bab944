"""Whether a script's steps spend the gradients of their whole batches, from what it wrote down."""

from __future__ import annotations

from math import acos, degrees, isfinite
from statistics import median
from typing import TYPE_CHECKING, Any

from zerograd.record import record
from zerograd.watch.report.finding_from_fault import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zerograd.findings.record import Record
    from zerograd.watch.damage.expected_gradient import ExpectedSum
    from zerograd.watch.damage.measure import Measure
    from zerograd.watch.observe.observer import Observer

ROUNDING = 0.1
"""Degrees, and per cent of length, that the roundings of fp32 and of 16 bits explain."""


def proof_of(
    number: int, observer: Observer, meant: ExpectedSum, measure: Measure | None
) -> Record:
    """Return how one window of an optimizer compares with its batch, for the journal."""
    optimizer = type(observer.poster.registry.optimizers.thing(number)).__name__
    known = measure is not None and meant.items > 0
    counted_only = meant.reduced and meant.largest > 0
    return {
        "optimizer": optimizer,
        "number": number,
        "deposits": meant.deposits,
        "smallest": meant.smallest if known or counted_only else None,
        "largest": meant.largest if known or counted_only else None,
        "ratio": measure.ratio if known and measure is not None else None,
        "cosine": measure.cosine if known and measure is not None else None,
        "items": meant.items if known else None,
        "weight": meant.weight if known else None,
    }


@record(frozen=True)
class Proof:
    """All compared windows of one optimizer in one process."""

    title: str
    """Which optimizer, and of which rank."""

    windows: tuple[dict[str, Any], ...]

    @property
    def seen(self) -> list[dict[str, Any]]:
        """The windows whose items were read."""
        return [one for one in self.windows if one.get("cosine") is not None]

    @property
    def reduced(self) -> list[dict[str, Any]]:
        """The windows whose items were read, and whose gradients are those of all ranks."""
        return [one for one in self.windows if one.get("cosine") is None and one.get("largest")]

    @property
    def angles(self) -> list[float]:
        """How many degrees each window is off."""
        return [degrees(acos(min(1.0, max(-1.0, one["cosine"])))) for one in self.seen]

    @property
    def agrees(self) -> bool:
        """Whether every window that was seen is the gradient of its batch."""
        return self._points_there and not self._is_miscounted and not self._is_undivided

    @property
    def _points_there(self) -> bool:
        lengths = [abs(one["ratio"] - 1) * 100 for one in self.seen if isfinite(one["ratio"])]
        return all(off < ROUNDING for off in (*self.angles, *lengths))

    @property
    def _weights(self) -> list[float]:
        """What the items of each window weigh together: 1 in a mean over all of them."""
        return [one["weight"] for one in self.seen]

    @property
    def _divisors(self) -> list[float]:
        """What the sum over the items of each window was divided by."""
        return [round(one["items"] / one["weight"], 3) for one in self.seen]

    @property
    def _is_undivided(self) -> bool:
        """Whether the means of every window are added, and nothing divides them."""
        several = [one for one in self.seen if one["deposits"] > 1]
        return bool(several) and all(
            _are_alike([one["weight"], one["deposits"]]) for one in several
        )

    @property
    def _is_miscounted(self) -> bool:
        """Whether the divisor changes from step to step, and not as the items do."""
        return not _are_alike(self._weights) and not _are_alike(self._divisors)

    def sentences(self) -> Iterator[str]:
        """Yield what to print."""
        deposits = sorted({one["deposits"] for one in self.windows})
        many = str(deposits[0]) if len(deposits) == 1 else f"{deposits[0]} to {deposits[-1]}"
        yield f"{self.title}: {_windows(len(self.windows))} of {many} micro-batches"
        unseen = len(self.windows) - len(self.seen)
        if self.reduced:
            yield f"  {_items(self.reduced)}"
            yield (
                f"  {_windows(len(self.reduced))} not compared: ranks reduce in the backward; "
                "`zerograd watch` goes by the counts"
            )
        elif deposits == [1]:
            yield "  one micro-batch a step: its mean is the batch's"
        elif self.seen:
            yield f"  {_items(self.seen)}"
            yield f"  {self._verdict()}"
        unseen -= len(self.reduced)
        if unseen and deposits != [1]:
            yield (
                f"  {_windows(unseen)} not compared: the graph shows no count of items, or "
                "several terms have counts of their own"
            )

    def _verdict(self) -> str:
        if self._points_there:
            return f"what is spent is the gradient of the batch{self._factor()}"
        length = median(one["ratio"] for one in self.seen)
        return (
            f"what is spent is {median(self.angles):.0f} degrees off the gradient of the batch in "
            f"the median window, {max(self.angles):.0f} in the worst, and {length:.2f} times as "
            "long"
        )

    def _factor(self) -> str:
        """Say what the gradient of the batch is multiplied by, and by whom."""
        weights, divisors = self._weights, self._divisors
        if _are_alike([1.0, *weights]):
            return ""
        if self._is_undivided:
            return ", as many times as there are micro-batches: nothing divides their sum"
        if _are_alike(weights):
            return f", times {weights[0]:.3g}"
        if _are_alike(divisors):
            return f", of a sum over its items that every step divides by {counted(divisors[0])}"
        return (
            f", times {min(weights):.2g} to {max(weights):.2g}: sums over "
            f"{counted(min(one['items'] for one in self.seen))} to "
            f"{counted(max(one['items'] for one in self.seen))} items are divided by "
            f"{counted(min(divisors))} to {counted(max(divisors))}"
        )


def _are_alike(numbers: Sequence[float]) -> bool:
    return max(numbers) <= min(numbers) * (1 + ROUNDING / 100) if numbers else True


def _items(windows: Sequence[dict[str, Any]]) -> str:
    smallest = min(one["smallest"] for one in windows)
    largest = max(one["largest"] for one in windows)
    if smallest == largest:
        return f"every micro-batch is a mean over {counted(smallest)} items"
    return f"micro-batches are means over {counted(smallest)} to {counted(largest)} items"


def _windows(count: int) -> str:
    return "1 window" if count == 1 else f"{count} windows"


def proofs(records: Iterable[dict[str, Any]], rank: int | None) -> list[Proof]:
    """Return the proofs of one process, one an optimizer."""
    by_number: dict[int, list[dict[str, Any]]] = {}
    for written in records:
        by_number.setdefault(written["number"], []).append(written)
    titles = [found[0]["optimizer"] for found in by_number.values()]
    return [
        Proof(_title(found[0]["optimizer"], number, titles, rank), tuple(found))
        for number, found in by_number.items()
    ]


def _title(name: str, number: int, titles: list[str], rank: int | None) -> str:
    named = name if titles.count(name) == 1 else f"{name} {number}"
    return named if rank is None else f"{named}, rank {rank}"
