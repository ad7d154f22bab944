"""ZG202 tail-leaks."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG202",
    name="tail-leaks",
    severity=Severity.WARNING,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="an unfinished last window leaks into the next epoch",
    at="the step, its condition as evidence",
    real=5,
)
