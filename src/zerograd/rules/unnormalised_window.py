"""ZG201 unnormalised-window."""

from zerograd.rules.rule import Repair, Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG201",
    name="unnormalised-window",
    severity=Severity.WARNING,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="several mean losses deposited before one step, and nothing divides",
    at="the deposit",
    repair=Repair.UNSAFE,
    real=13,
)
