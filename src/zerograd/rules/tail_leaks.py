"""ZG202 tail-leaks."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG202",
    name="tail-leaks",
    severity=Severity.WARNING,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="an unfinished last window leaks into the next epoch",
    at="the step, its condition as evidence",
    real=5,
)
