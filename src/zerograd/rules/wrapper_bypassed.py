"""ZG503 wrapper-bypassed."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG503",
    name="wrapper-bypassed",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH,
    fault="the bare module is called instead of its DDP wrapper",
    at="the call",
    real=1,
)
