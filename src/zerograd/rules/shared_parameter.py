"""ZG307 shared-parameter."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Rule, Seen

RULE = Rule(
    code="ZG307",
    name="shared-parameter",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="the same deposit is spent by two optimizers",
    at="the later optimizer's construction",
)
