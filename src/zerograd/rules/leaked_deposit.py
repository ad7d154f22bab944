"""ZG104 leaked-deposit."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG104",
    name="leaked-deposit",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="a step spends deposits that another optimizer's backward left behind",
    at="the step",
    real=4,
    false=1,
)
