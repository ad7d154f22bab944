"""ZG301 step-without-backward."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG301",
    name="step-without-backward",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="a step with nothing deposited since the one before",
    at="the step",
    real=1,
)
