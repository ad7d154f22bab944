"""ZG404 clip-inside-window."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG404",
    name="clip-inside-window",
    severity=Severity.WARNING,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="clipping or unscaling at each micro-batch of a window",
    at="the clip or `unscale_`",
    real=5,
)
