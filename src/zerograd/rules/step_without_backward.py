"""ZG301 step-without-backward."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG301",
    name="step-without-backward",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="a step with nothing deposited since the one before",
    at="the step",
    real=1,
)
