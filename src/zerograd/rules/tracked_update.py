"""ZG310 tracked-update."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Rule, Seen

RULE = Rule(
    code="ZG310",
    name="tracked-update",
    severity=Severity.ERROR,
    seen=Seen.LINT,
    fault="an in-place update of a leaf outside `no_grad`",
    at="the update",
)
