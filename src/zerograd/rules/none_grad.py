"""ZG105 none-grad."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG105",
    name="none-grad",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH,
    fault="`.grad` used where it may be None",
    at="the use",
    real=4,
)
