"""ZG104 leaked-deposit."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Rule, Seen

RULE = Rule(
    code="ZG104",
    name="leaked-deposit",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="a step spends deposits that another optimizer's backward left behind",
    at="the step",
)
