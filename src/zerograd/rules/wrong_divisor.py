"""ZG204 wrong-divisor."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG204",
    name="wrong-divisor",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="a loss divided by another number than that of the deposits in a full window",
    at="the deposit",
    real=1,
)
