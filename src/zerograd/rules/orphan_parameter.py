"""ZG304 orphan-parameter."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG304",
    name="orphan-parameter",
    severity=Severity.WARNING,
    seen=Seen.LINT | Seen.WATCH,
    fault="a parameter that gets deposits, but is in no optimizer",
    at="the optimizer's construction",
)
