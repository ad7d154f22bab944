"""ZG401 clip-after-step."""

from zerograd.rules.rule import Repair, Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG401",
    name="clip-after-step",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="clipping gradients that a step already spent",
    at="the clip",
    repair=Repair.UNSAFE,
    real=9,
)
