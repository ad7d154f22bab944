"""ZG502 ranks-diverge."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Rule, Seen

RULE = Rule(
    code="ZG502",
    name="ranks-diverge",
    severity=Severity.ERROR,
    seen=Seen.WATCH,
    fault="gradients or parameters differ between ranks at a step that should see equal ones",
    at="the step",
)
