"""ZG301 step-without-backward."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Rule, Seen

RULE = Rule(
    code="ZG301",
    name="step-without-backward",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="a step with nothing deposited since the one before",
    at="the step",
)
