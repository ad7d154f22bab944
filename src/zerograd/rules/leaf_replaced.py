"""ZG309 leaf-replaced."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG309",
    name="leaf-replaced",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH,
    fault="`W = W - lr * W.grad` in a loop: the name no longer is the leaf",
    at="the assignment",
    real=3,
)
