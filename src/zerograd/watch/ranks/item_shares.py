"""Compare how many items each rank's gradient is the mean of: DDP averages rank means alike.

Each rank writes down the items and the weight of its own window; whoever reads all journals
compares them. Nothing is exchanged between the ranks for it.
"""

from __future__ import annotations

from math import isclose
from statistics import median
from typing import TYPE_CHECKING, Any, TypeAlias

from zerograd.findings.record import from_record
from zerograd.record import replace
from zerograd.watch.damage.negligible import REDUCED, UNEQUAL, is_narrow
from zerograd.watch.ranks.naming import listed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from zerograd.findings import Finding

Records: TypeAlias = "list[dict[str, Any]]"
Sharing: TypeAlias = "dict[int, dict[str, Any]]"
"""What each rank contributed to one step."""

AGAIN = 2
"""In so many of the compared steps the ranks must differ."""

ALIKE = 1e-3
"""Weights that differ by less are the same."""

HELP = (
    "multiply each rank's loss by its items and the number of ranks, and divide by the items of "
    "all; or give the engine `items=`; if a mean of rank means is meant, allow it"
)


def unequal_ranks(counted: Mapping[int, Records], found: Iterable[Finding]) -> list[Finding]:
    """Return where ranks with different counts weigh alike, one finding a line."""
    told = {finding.location for finding in found if finding.rule.name == UNEQUAL}
    new = [
        _finding(counted, ranks, steps)
        for (_, ranks), steps in _by_step(counted).items()
        if len(steps) >= AGAIN
    ]
    # What a window of one rank shows already is the same line's fault, and measured there.
    return [finding for finding in new if finding is not None and finding.location not in told]


def _by_step(
    counted: Mapping[int, Records],
) -> dict[tuple[str, tuple[int, ...]], dict[int, Sharing]]:
    """Return the steps at which all ranks weigh alike and their counts differ."""
    by_step: dict[tuple[str, tuple[int, ...]], dict[int, Sharing]] = {}
    for rank, records in counted.items():
        for record in records:
            what = (record["key"], tuple(record["ranks"]))
            by_step.setdefault(what, {}).setdefault(record["step"], {})[rank] = record
    return {
        what: {
            step: sharing
            for step, sharing in steps.items()
            if len(sharing) == len(what[1]) and _is_unequal(sharing)
        }
        for what, steps in by_step.items()
    }


def _is_unequal(sharing: Sharing) -> bool:
    shares = [record["share"] for record in sharing.values()]
    items = [record["items"] for record in sharing.values()]
    alike = all(isclose(share, shares[0], rel_tol=ALIKE) for share in shares)
    return alike and max(items) > min(items) * (1 + ALIKE)


def _weights(steps: Collection[list[float]]) -> str:
    """Return how much an item counts, in the largest and in the smallest mean, beside a right one.

    A rank's own gradient exists nowhere but in the buckets of its reduction, so no angle can be
    told afterwards; this can. 8 and 56 items on two ranks: one of the 8 counts 1/16, not 1/64.

    >>> _weights([[8.0, 56.0]])
    '0.57x to 4x'
    """
    factors = [[sum(items) / (len(items) * count) for count in items] for items in steps]
    least, most = (median(choose(one) for one in factors) for choose in (min, max))
    return f"{least:.2g}x to {most:.2g}x"


def _finding(
    counted: Mapping[int, Records], ranks: tuple[int, ...], steps: dict[int, Sharing]
) -> Finding | None:
    items = {
        step: sorted(record["items"] for record in steps[step].values()) for step in sorted(steps)
    }
    place = next(iter(steps[min(steps)].values()))["place"]
    stated = next(
        (
            record["finding"]
            for rank in ranks
            for record in counted[rank]
            if record["place"] == place and "finding" in record
        ),
        None,
    )
    smallest = median(counts[0] for counts in items.values())
    largest = median(counts[-1] for counts in items.values())
    if stated is None or is_narrow(smallest, largest):
        return None
    return replace(
        from_record(stated),
        message=(
            f"the ranks weigh alike although their gradients are means over {smallest:,.0f} to "
            f"{largest:,.0f} items, so that an item counts {_weights(items.values())} as much as "
            f"it should{REDUCED}"
        ),
        help=HELP,
        count=len(items),
        first_step=min(items),
        last_step=max(items),
        process=listed(ranks),
    )
