"""ZG401 clip-after-step."""

from zerograd.rules.rule import Repair, Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG401",
    name="clip-after-step",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="clipping gradients that a step already spent",
    at="the clip",
    repair=Repair.UNSAFE,
    real=9,
)
