"""ZG406 scaled-step."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG406",
    name="scaled-step",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="a scaled loss stepped without the scaler, or the reverse",
    at="the step",
    real=4,
)
