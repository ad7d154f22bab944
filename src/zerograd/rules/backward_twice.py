"""ZG603 backward-twice."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG603",
    name="backward-twice",
    severity=Severity.WARNING,
    seen=SeenBy.LINT | SeenBy.WATCH,
    fault="the same loss deposited twice in one window",
    at="the second backward",
    real=1,
)
