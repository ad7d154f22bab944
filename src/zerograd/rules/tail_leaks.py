"""ZG202 tail-leaks."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Rule, Seen

RULE = Rule(
    code="ZG202",
    name="tail-leaks",
    severity=Severity.WARNING,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="an unfinished last window leaks into the next epoch",
    at="the step, its condition as evidence",
)
