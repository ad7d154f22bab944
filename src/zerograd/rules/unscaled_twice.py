"""ZG407 unscaled-twice."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG407",
    name="unscaled-twice",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="`unscale_` twice on the same gradients",
    at="the second call",
    real=2,
)
