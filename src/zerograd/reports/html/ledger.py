"""What the page's scripts draw: every optimizer's windows and measures, small enough for a file."""

from __future__ import annotations

from json import dumps
from statistics import fmean
from typing import TYPE_CHECKING, Any

from zerograd.printable import sentence
from zerograd.record import plain
from zerograd.rules import find_rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.history import History, OptimizerHistory

DRAWN = 24
"""Optimizers; those in which something happened come first."""

BUDGET = 3 * 2**20
"""Bytes of data in a page; what does not fit is drawn coarser."""

COARSEST = 8
"""Points of a series that are always left."""

# What becomes of two neighbouring points of a series, column by column.
JOINED: dict[str, Callable[[list[Any]], Any]] = {
    "step": min,
    "low": min,
    "high": max,
    "mean": fmean,
    "bad": sum,
}


def ledger_data(history: History | None, rules: set[str]) -> dict[str, Any] | None:
    """Return the data of the ledger and the plots; nothing where no window was recorded."""
    filled = [lane for lane in history.lanes if lane.runs] if history is not None else []
    if history is None or not filled:
        return None
    ranked = sorted(filled, key=lambda lane: -sum(lane.faults.values()))[:DRAWN]
    lanes = fitting([lane_data(lane, rules) for lane in ranked])
    drawn = dict(zip(map(id, ranked), lanes, strict=False))
    found = sorted({rule for lane in ranked[: len(lanes)] for rule in lane.faults if rule in rules})
    return {
        "lanes": [drawn[id(lane)] for lane in filled if id(lane) in drawn],
        "rules": [{"name": rule, "code": find_rule(rule).code} for rule in found],
        "left_out": history.left_out + len(filled) - len(lanes),
    }


def fitting(lanes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lanes drawn as coarsely as the room asks for; where that is not enough, fewer."""
    while size(lanes) > BUDGET:
        coarser = [coarsen(lane) for lane in lanes]  # all of them: none pays for the others
        if not any(coarser):
            break
    while len(lanes) > 1 and size(lanes) > BUDGET:
        lanes = lanes[:-1]
    return lanes


def size(lanes: list[dict[str, Any]]) -> int:
    """Return how many bytes lanes take in a page."""
    return len(dumps(lanes, separators=(",", ":")))


def lane_data(lane: OptimizerHistory, rules: set[str]) -> dict[str, Any]:
    """Return one lane; faults that are not reported are not marked either."""
    return {
        **plain(lane),
        "name": sentence(lane.name),
        "place": sentence(lane.place),
        "process": sentence(lane.process) if lane.process else None,
        "places": [sentence(place) for place in lane.places],
        "shapes": [
            [moments, [rule for rule in broken if rule in rules]] for moments, broken in lane.shapes
        ],
    }


def coarsen(lane: dict[str, Any]) -> bool:
    """Join the points of a lane's longest series in pairs; return whether there were any."""
    longest = max(len(columns["step"]) for columns in lane["series"].values())
    if longest <= COARSEST:
        return False
    for columns in lane["series"].values():
        if len(columns["step"]) == longest:
            for name, join in JOINED.items():
                columns[name] = [joined(pair, join) for pair in pairs(columns[name])]
    return True


def pairs(column: list[Any]) -> list[list[Any]]:
    """Return neighbours together; of an odd number the last is alone."""
    return [column[at : at + 2] for at in range(0, len(column), 2)]


def joined(pair: list[Any], join: Callable[[list[Any]], Any]) -> Any:
    """Return one value for two; what was never finite is None."""
    known = [value for value in pair if value is not None]
    return join(known) if known else None
