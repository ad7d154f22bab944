"""ZG001 unparsable-file."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Rule, Seen

RULE = Rule(
    code="ZG001",
    name="unparsable-file",
    severity=Severity.WARNING,
    seen=Seen.LINT,
    fault="a file that is not valid for the Python that zerograd runs on",
    at="the error",
)
