"""ZG403 clip-before-backward."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG403",
    name="clip-before-backward",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="clipping before the backward, where there is nothing to clip yet",
    at="the clip",
    real=5,
)
