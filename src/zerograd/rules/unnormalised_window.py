"""ZG201 unnormalised-window."""

from zerograd.rules.rule import Repair, Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG201",
    name="unnormalised-window",
    severity=Severity.WARNING,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="several mean losses deposited before one step, and nothing divides",
    at="the deposit",
    repair=Repair.UNSAFE,
    real=13,
)
