"""ZG408 clip-other-parameters."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG408",
    name="clip-other-parameters",
    severity=Severity.WARNING,
    seen=SeenBy.LINT | SeenBy.WATCH,
    fault="clipping other parameters than those that the next step moves",
    at="the clip",
)
