"""ZG201 unnormalised-window."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Repair, Rule, Seen

RULE = Rule(
    code="ZG201",
    name="unnormalised-window",
    severity=Severity.WARNING,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="several mean losses deposited before one step, and nothing divides",
    at="the deposit",
    repair=Repair.UNSAFE,
)
