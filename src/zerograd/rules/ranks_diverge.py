"""ZG502 ranks-diverge."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG502",
    name="ranks-diverge",
    severity=Severity.ERROR,
    seen=Seen.WATCH,
    fault="gradients or parameters differ between ranks at a step that should see equal ones",
    at="the step",
)
