"""Damage as a picture: what a step spent and what it should have, as two arrows."""

from __future__ import annotations

from math import acos, cos, isfinite, sin
from typing import TYPE_CHECKING

from zerograd.record import record

if TYPE_CHECKING:
    from zerograd.findings import Damage

REACH = 132.0
"""Length of the longer arrow, in the picture's own units."""

SHORTEST = 10.0
"""A shorter one would be only its head."""


@record(frozen=True)
class Arrows:
    """Where the two arrows end; both begin at the origin, y points down."""

    meant: tuple[float, float]
    spent: tuple[float, float]
    height: float
    """How far above the origin the picture must go."""

    depth: float
    """How far below."""


def arrows_of(damage: Damage | None) -> Arrows | None:
    """Return the arrows of a measured damage; nothing where there is no angle to draw."""
    if damage is None or not (isfinite(damage.ratio) and isfinite(damage.cosine)):
        return None
    if damage.ratio <= 0:
        return None
    unit = REACH / max(1.0, damage.ratio)
    angle = acos(max(-1.0, min(1.0, damage.cosine)))
    length = max(SHORTEST, damage.ratio * unit)
    spent = (round(length * cos(angle), 1), round(-length * sin(angle), 1))
    return Arrows((round(max(SHORTEST, unit), 1), 0.0), spent, round(-spent[1] + 14, 1), 14.0)
