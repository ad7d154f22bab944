"""How badly a fault changed what was spent: |g| / |f| and cos(g, f) of a few of its steps.

`g` is what a step spends, `f` what it should have spent. Gradients are copied only where a
deposit falls on spent ones, at first occurrences and at doubling intervals, within a budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import median
from typing import TYPE_CHECKING
from weakref import ref

import torch

from zerograd.findings import Damage
from zerograd.watch.values import local

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from torch import Tensor

    from zerograd.lifecycle import Entry
    from zerograd.watch.members import Group, Member

FIRST = 8
"""So many occurrences are measured one by one, later ones at doubling intervals."""

BUDGET = 64 * 2**20
"""Bytes of copies at a time; what does not fit is left out of the measure."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One step: how much too long what it spent is, and how much of it points the right way."""

    ratio: float
    cosine: float


class Damages:
    """Keeps the stale part of gradients from a deposit to the step that spends both."""

    def __init__(self) -> None:
        self.last: dict[Hashable, Measure] = {}
        """The measure of the step under way, by optimizer."""
        self._stale: dict[int, tuple[ref[Tensor], Tensor]] = {}
        self._times = 0

    def before_deposit(self, groups: Iterable[Group]) -> None:
        """Copy what was spent and not cleared, before a deposit is added to it."""
        stale = [group for group in groups if group.spent and group.owners]
        if not stale:
            return
        self._times += 1
        if self._times > FIRST and self._times & (self._times - 1):
            return
        left = BUDGET
        for member in (member for group in stale for member in group.members):
            gradient = _gradient(member)
            if gradient is not None and gradient.nbytes <= left:
                left -= gradient.nbytes
                self._stale[member.key] = (ref(gradient), gradient.detach().clone())

    def before_step(self, number: int, groups: list[Group]) -> None:
        """Compare what lies there now with what was added to the stale part."""
        self.last.pop(number, None)
        if not self._stale:
            return
        members = [member for group in groups for member in group.members]
        pairs = [pair for member in members if (pair := self._spent_and_meant(member)) is not None]
        measure = _measure(pairs)
        if measure is not None:
            self.last[number] = measure

    def _spent_and_meant(self, member: Member) -> tuple[Tensor, Tensor] | None:
        gradient, copied = _gradient(member), self._stale.pop(member.key, None)
        # Another tensor than the one that was copied: a clear came between.
        if gradient is None or copied is None or copied[0]() is not gradient:
            return None
        spent = gradient.detach().double()
        return spent, spent - copied[1].double()


def _gradient(member: Member) -> Tensor | None:
    parameter = member.parameter()
    gradient = parameter.grad if parameter is not None else None
    if gradient is None or gradient.layout is not torch.strided or gradient.is_meta:
        return None
    return local(gradient) if gradient.is_floating_point() else None


@torch.no_grad()
def _measure(pairs: list[tuple[Tensor, Tensor]]) -> Measure | None:
    spent = sum(float(g.square().sum()) for g, _ in pairs)
    meant = sum(float(f.square().sum()) for _, f in pairs)
    common = sum(float((g * f).sum()) for g, f in pairs)
    if not spent > 0 or not meant > 0:
        return None
    return Measure(sqrt(spent / meant), common / sqrt(spent * meant))


def damage_of(entry: Entry, measures: list[Measure]) -> Damage | None:
    """Return what was measured of a fault, or what its numbers already say."""
    if measures:
        ratios = [measure.ratio for measure in measures]
        cosines = [measure.cosine for measure in measures]
        return Damage(
            ratio=median(ratios),
            peak_ratio=max(ratios),
            cosine=median(cosines),
            worst_cosine=min(cosines),
            measured=len(measures),
        )
    ratio = _known_ratio(entry)
    if ratio is None:
        return None
    return Damage(ratio=ratio, peak_ratio=ratio, cosine=1.0, worst_cosine=1.0, measured=entry.count)


def _known_ratio(entry: Entry) -> float | None:
    """Return by how much too long a window's sum is, where that needs no measuring."""
    readings = entry.fault.readings
    deposits, divisor = readings.get("deposits"), readings.get("divisor")
    if not isinstance(deposits, int) or readings.get("growing"):
        return None
    if entry.fault.rule == "unnormalised-window":
        return float(deposits)
    if entry.fault.rule == "wrong-divisor" and isinstance(divisor, int):
        return deposits / divisor
    return None
