"""ZG304 orphan-parameter."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG304",
    name="orphan-parameter",
    severity=Severity.WARNING,
    seen=SeenBy.LINT | SeenBy.WATCH,
    fault="a parameter that gets deposits, but is in no optimizer",
    at="the optimizer's construction",
)
