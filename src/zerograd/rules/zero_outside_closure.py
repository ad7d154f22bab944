"""ZG106 zero-outside-closure."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Repair, Rule, Seen

RULE = Rule(
    code="ZG106",
    name="zero-outside-closure",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH,
    fault="a re-evaluated closure deposits without clearing",
    at="the deposit",
    repair=Repair.UNSAFE,
)
