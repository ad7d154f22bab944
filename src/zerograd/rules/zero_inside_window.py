"""ZG103 zero-inside-window."""

from zerograd.rules.rule import Repair, Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG103",
    name="zero-inside-window",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="a window's deposits thrown away at each micro-batch, all but the last",
    at="the clear",
    repair=Repair.UNSAFE,
    real=2,
)
