"""ZG003 unknown-ignore."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG003",
    name="unknown-ignore",
    severity=Severity.WARNING,
    seen=SeenBy.LINT,
    fault="a pragma or setting that names no rule",
    at="the pragma",
)
