"""ZG004 unreadable-file."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG004",
    name="unreadable-file",
    severity=Severity.WARNING,
    seen=SeenBy.LINT,
    fault="a file that cannot be read or decoded, is no notebook, or makes zerograd itself fail",
    at="line 1",
)
