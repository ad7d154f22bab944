"""ZG207 scheduler-in-window."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG207",
    name="scheduler-in-window",
    severity=Severity.WARNING,
    seen=Seen.LINT | Seen.WATCH,
    fault="a scheduler advances at each micro-batch while the optimizer steps once a window",
    at="the scheduler's step",
    real=1,
)
