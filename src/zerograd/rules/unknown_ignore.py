"""ZG003 unknown-ignore."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Rule, Seen

RULE = Rule(
    code="ZG003",
    name="unknown-ignore",
    severity=Severity.WARNING,
    seen=Seen.LINT,
    fault="a pragma or setting that names no rule",
    at="the pragma",
)
