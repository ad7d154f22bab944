"""ZG305 dead-parameter."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG305",
    name="dead-parameter",
    severity=Severity.WARNING,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="a parameter in an optimizer that is frozen or that no backward reaches",
    at="the optimizer's construction",
)
