"""Compare what a step spends with what it should spend: |g| / |f| and cos(g, f)."""

from __future__ import annotations

from math import inf, nan, sqrt
from statistics import median
from typing import TYPE_CHECKING

import torch

from zerograd.findings import Damage
from zerograd.hooks.program_modes import has_values
from zerograd.record import record
from zerograd.watch.gradients.values import local

if TYPE_CHECKING:
    from torch import Tensor

    from zerograd.lifecycle import Fault
    from zerograd.watch.gradients.groups import GradientState


@record(frozen=True)
class Measure:
    """One step: how much too long what it spent is, and how much of it points the right way."""

    ratio: float
    cosine: float


NOTHING_SPENT = Measure(0.0, nan)
NOTHING_MEANT = Measure(inf, nan)


def gradient_of(member: GradientState) -> Tensor | None:
    """Return a gradient that can be measured."""
    parameter = member.parameter()
    gradient = parameter.grad if parameter is not None else None
    if gradient is None or gradient.layout is not torch.strided or not has_values(gradient):
        return None
    return local(gradient).detach() if gradient.is_floating_point() else None


def compare(pairs: list[tuple[Tensor | None, Tensor | None]]) -> Measure | None:
    """Compare what is spent with what is meant, parameter by parameter; None is nothing."""
    spent = sum(_square(g) for g, _ in pairs)
    meant = sum(_square(f) for _, f in pairs)
    common = sum(_dot(g, f) for g, f in pairs if g is not None and f is not None)
    if spent > 0 and meant > 0:
        return Measure(sqrt(spent / meant), common / sqrt(spent * meant))
    if spent > 0:
        return NOTHING_MEANT
    return NOTHING_SPENT if meant > 0 else None


def _square(values: Tensor | None) -> float:
    return 0.0 if values is None else _dot(values, values)


def _dot(one: Tensor, other: Tensor) -> float:
    return float(torch.dot(one.double().flatten(), other.double().flatten()))


def known(fault: Fault) -> Measure | None:
    """Return what a fault's own numbers say, where nothing needs measuring."""
    rule, readings = fault.rule, fault.readings
    deposits, divisor = readings.get("deposits"), readings.get("divisor")
    if rule in ("zero-before-step", "step-without-backward"):
        return NOTHING_SPENT
    if rule in ("spent-twice", "shared-parameter"):
        return None if readings.get("partly") else NOTHING_MEANT
    if rule == "unnormalised-window" and isinstance(deposits, int):
        return Measure(float(deposits), 1.0)
    growing = readings.get("growing")
    if rule == "wrong-divisor" and isinstance(deposits, int) and isinstance(divisor, int):
        return None if growing else Measure(deposits / divisor, 1.0)
    return None


def damage_of(measures: list[Measure]) -> Damage | None:
    """Return what was measured of a fault, as median and peak."""
    if not measures:
        return None
    ratios = [measure.ratio for measure in measures]
    cosines = [measure.cosine for measure in measures]
    return Damage(
        ratio=median(ratios),
        peak_ratio=max(ratios),
        cosine=median(cosines),
        worst_cosine=min(cosines),
        measured=len(measures),
    )
