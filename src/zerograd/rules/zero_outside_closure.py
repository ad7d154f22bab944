"""ZG106 zero-outside-closure."""

from zerograd.rules.rule import Repair, Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG106",
    name="zero-outside-closure",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH,
    fault="a re-evaluated closure deposits without clearing",
    at="the deposit",
    repair=Repair.UNSAFE,
    real=4,
)
