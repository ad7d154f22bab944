"""ZG502 ranks-diverge."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG502",
    name="ranks-diverge",
    severity=Severity.ERROR,
    seen=SeenBy.WATCH | SeenBy.ENGINE,
    fault="gradients or parameters differ between ranks at a step that should see equal ones",
    at="the step",
)
