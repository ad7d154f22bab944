"""ZG307 shared-parameter."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG307",
    name="shared-parameter",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="the same deposit is spent by two optimizers",
    at="the later optimizer's construction",
    real=2,
)
