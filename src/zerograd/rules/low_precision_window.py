"""ZG206 low-precision-window."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG206",
    name="low-precision-window",
    severity=Severity.HINT,
    seen=SeenBy.WATCH | SeenBy.ENGINE,
    fault="many deposits summed in 16 bits",
    at="the deposit",
)
