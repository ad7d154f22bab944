"""Tell whether unequal micro-batches matter: by the measured damage, else by the counts.

The threshold stands in the rule's page. A gradient less than 5 degrees off, and less than 5 % too
long or too short, is within what any other order of the same data would change.
"""

from __future__ import annotations

from math import acos, degrees
from statistics import median
from typing import TYPE_CHECKING

from zerograd.record import replace
from zerograd.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zerograd.lifecycle import Fault
    from zerograd.watch.damage.measure import Measure

UNEQUAL = "unequal-micro-batches"
"""The rule; named here, where no torch is needed."""

DEGREES = 5.0
LENGTH = 0.05
"""What the spent gradient may be off, in the median of the windows that were measured."""

ENOUGH = 2
"""Measured windows before anything is said."""

NOT_MEASURED = "; how far the gradient is off is not measured"
REDUCED = f"{NOT_MEASURED}, because ranks reduce it in the backward"
OF_THEIR_OWN = f"{NOT_MEASURED}, because the loss has terms with counts of their own"
"""What a message adds where the counts alone speak."""

SPREAD = 1.25
"""Where nothing can be measured: how many times the smallest count the largest may be."""


def weighed(fault: Fault, measures: Sequence[Measure]) -> Fault:
    """Return a fault with the severity that its damage gives it; most faults are not weighed."""
    if fault.rule != UNEQUAL or fault.severity is Severity.HINT:
        return fault
    if fault.readings["separable"]:
        slight = len(measures) < ENOUGH or is_slight(measures)
    else:
        slight = is_narrow(float(fault.readings["smallest"]), float(fault.readings["largest"]))  # type: ignore[arg-type]
    return replace(fault, severity=Severity.HINT) if slight else fault


def is_slight(measures: Sequence[Measure]) -> bool:
    """Whether the median gradient points and reaches nearly where it should."""
    cosine = min(1.0, max(-1.0, median(measure.cosine for measure in measures)))
    length = median(measure.ratio for measure in measures)
    return degrees(acos(cosine)) < DEGREES and abs(length - 1) < LENGTH


def is_narrow(smallest: float, largest: float) -> bool:
    """Whether counts are so near to each other that weighing them alike hardly matters."""
    return largest < SPREAD * smallest
