"""ZG206 low-precision-window."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Rule, Seen

RULE = Rule(
    code="ZG206",
    name="low-precision-window",
    severity=Severity.HINT,
    seen=Seen.WATCH | Seen.ENGINE,
    fault="many deposits summed in 16 bits",
    at="the deposit",
)
