"""ZG204 wrong-divisor."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Rule, Seen

RULE = Rule(
    code="ZG204",
    name="wrong-divisor",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="the divisor is not the number of deposits of a full window",
    at="the deposit",
)
