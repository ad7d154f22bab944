"""What the page's scripts draw: every optimizer's windows and measures, small enough for a file."""

from __future__ import annotations

from dataclasses import asdict
from json import dumps
from typing import TYPE_CHECKING, Any

from zerograd.reports.printable import sentence
from zerograd.rules import find_rule

if TYPE_CHECKING:
    from zerograd.history import History, Lane

DRAWN = 24
"""Optimizers; those in which something happened come first."""

BUDGET = 3 * 2**20
"""Bytes of data in a page; what does not fit is drawn coarser."""


def ledger_data(history: History | None, rules: set[str]) -> dict[str, Any] | None:
    """Return the data of the ledger and the plots; nothing where nothing was recorded."""
    if history is None or not history.lanes:
        return None
    ranked = sorted(history.lanes, key=lambda lane: -sum(lane.faults.values()))[:DRAWN]
    drawn = [lane for lane in history.lanes if lane in ranked]
    lanes = [lane_data(lane, rules) for lane in drawn]
    while len(dumps(lanes)) > BUDGET and any(map(coarsen, lanes)):
        pass
    found = sorted({rule for lane in drawn for rule in lane.faults if rule in rules})
    return {
        "lanes": lanes,
        "rules": [{"name": rule, "code": find_rule(rule).code} for rule in found],
        "left_out": history.left_out + len(history.lanes) - len(drawn),
    }


def lane_data(lane: Lane, rules: set[str]) -> dict[str, Any]:
    """Return one lane; faults that are not reported are not marked either."""
    return {
        **asdict(lane),
        "name": sentence(lane.name),
        "place": sentence(lane.place),
        "process": sentence(lane.process) if lane.process else None,
        "places": [sentence(place) for place in lane.places],
        "shapes": [
            [moments, [rule for rule in broken if rule in rules]] for moments, broken in lane.shapes
        ],
    }


def coarsen(lane: dict[str, Any]) -> bool:
    """Leave out every second point of a lane's longest series; return whether there was one."""
    longest = max(lane["series"].values(), key=lambda columns: len(columns["step"]))
    for name, column in longest.items():
        longest[name] = column[::2]
    return len(longest["step"]) > 2
