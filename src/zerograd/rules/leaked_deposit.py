"""ZG104 leaked-deposit."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG104",
    name="leaked-deposit",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="a step spends deposits that another optimizer's backward left behind",
    at="the step",
    real=4,
    false=1,
)
