"""ZG102 zero-before-step."""

from zerograd.rules.rule import Repair, Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG102",
    name="zero-before-step",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="cleared after backward and before the step that should spend",
    at="the clear",
    repair=Repair.UNSAFE,
    real=3,
)
