"""ZG404 clip-inside-window."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG404",
    name="clip-inside-window",
    severity=Severity.WARNING,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="clipping or unscaling at each micro-batch of a window",
    at="the clip or `unscale_`",
    real=5,
)
