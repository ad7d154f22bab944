"""ZG207 scheduler-in-window."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Rule, Seen

RULE = Rule(
    code="ZG207",
    name="scheduler-in-window",
    severity=Severity.WARNING,
    seen=Seen.LINT | Seen.WATCH,
    fault="a scheduler advances at each micro-batch while the optimizer steps once a window",
    at="the scheduler's step",
)
