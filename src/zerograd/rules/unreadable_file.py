"""ZG004 unreadable-file."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Rule, Seen

RULE = Rule(
    code="ZG004",
    name="unreadable-file",
    severity=Severity.WARNING,
    seen=Seen.LINT,
    fault="a file that cannot be read or decoded, or is no notebook",
    at="line 1",
)
