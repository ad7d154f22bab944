"""ZG407 unscaled-twice."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG407",
    name="unscaled-twice",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="`unscale_` twice on the same gradients",
    at="the second call",
    real=2,
)
