"""ZG001 unparsable-file."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG001",
    name="unparsable-file",
    severity=Severity.WARNING,
    seen=SeenBy.LINT,
    fault="a file that is not valid for the Python that zerograd runs on",
    at="the error",
)
