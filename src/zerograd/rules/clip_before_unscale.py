"""ZG402 clip-before-unscale."""

from zerograd.rules.rule import Repair, Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG402",
    name="clip-before-unscale",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="clipping gradients that still carry the loss scale",
    at="the clip",
    repair=Repair.UNSAFE,
    real=17,
)
