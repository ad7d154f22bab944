"""ZG103 zero-inside-window."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Repair, Rule, Seen

RULE = Rule(
    code="ZG103",
    name="zero-inside-window",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="a window's deposits thrown away at each micro-batch, all but the last",
    at="the clear",
    repair=Repair.UNSAFE,
)
