"""ZG303 never-spent."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG303",
    name="never-spent",
    severity=Severity.WARNING,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="an optimizer's parameters get deposits, and no step ever spends them",
    at="the optimizer's construction",
    real=1,
)
