"""ZG311 uncalled-method."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG311",
    name="uncalled-method",
    severity=Severity.ERROR,
    seen=SeenBy.LINT,
    fault="`loss.backward` without parentheses names the method and calls nothing",
    at="the line that names it",
)
