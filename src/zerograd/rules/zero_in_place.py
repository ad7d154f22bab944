"""ZG701 zero-in-place."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG701",
    name="zero-in-place",
    severity=Severity.HINT,
    seen=SeenBy.LINT,
    fault="`set_to_none=False` without a reader that needs zeros",
    at="the clear",
    real=1,
)
