"""ZG303 never-spent."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Rule, Seen

RULE = Rule(
    code="ZG303",
    name="never-spent",
    severity=Severity.WARNING,
    seen=Seen.LINT | Seen.WATCH,
    fault="deposits that no step ever spends",
    at="the optimizer's construction",
)
