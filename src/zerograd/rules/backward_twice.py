"""ZG603 backward-twice."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Rule, Seen

RULE = Rule(
    code="ZG603",
    name="backward-twice",
    severity=Severity.WARNING,
    seen=Seen.LINT | Seen.WATCH,
    fault="the same loss deposited twice in one window",
    at="the second backward",
)
