"""ZG308 step-without-effect."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG308",
    name="step-without-effect",
    severity=Severity.WARNING,
    seen=SeenBy.WATCH,
    fault="a step on non-zero gradients that changed no parameter",
    at="the step",
)
