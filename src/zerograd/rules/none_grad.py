"""ZG105 none-grad."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG105",
    name="none-grad",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH,
    fault="`.grad` used where it may be None",
    at="the use",
    real=4,
)
