"""ZG207 scheduler-in-window."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG207",
    name="scheduler-in-window",
    severity=Severity.WARNING,
    seen=SeenBy.LINT | SeenBy.WATCH,
    fault="a scheduler advances at each micro-batch while the optimizer steps once a window",
    at="the scheduler's step",
    real=1,
)
