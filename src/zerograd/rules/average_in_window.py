"""ZG210 average-in-window."""

from zerograd.rules.rule import Repair, Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG210",
    name="average-in-window",
    severity=Severity.WARNING,
    seen=SeenBy.LINT | SeenBy.WATCH,
    fault="an average of the weights advances at each micro-batch, the optimizer once a window",
    at="the update",
    real=2,
    repair=Repair.UNSAFE,
)
