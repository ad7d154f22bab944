"""ZG206 low-precision-window."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG206",
    name="low-precision-window",
    severity=Severity.HINT,
    seen=Seen.WATCH | Seen.ENGINE,
    fault="many deposits summed in 16 bits",
    at="the deposit",
)
