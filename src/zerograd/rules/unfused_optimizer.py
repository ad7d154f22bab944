"""ZG702 unfused-optimizer."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG702",
    name="unfused-optimizer",
    severity=Severity.HINT,
    seen=SeenBy.LINT | SeenBy.WATCH,
    fault="an optimizer that has a fused kernel runs without it",
    at="the optimizer's construction",
)
