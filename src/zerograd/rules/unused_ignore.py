"""ZG002 unused-ignore."""

from zerograd.rules.rule import Repair, Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG002",
    name="unused-ignore",
    severity=Severity.HINT,
    seen=SeenBy.LINT | SeenBy.WATCH,
    fault="a pragma that silences nothing",
    at="the pragma",
    repair=Repair.SAFE,
)
