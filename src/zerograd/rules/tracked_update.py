"""ZG310 tracked-update."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG310",
    name="tracked-update",
    severity=Severity.ERROR,
    seen=SeenBy.LINT,
    fault="an in-place update of a leaf outside `no_grad`",
    at="the update",
    real=3,
)
