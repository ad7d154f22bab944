"""ZG501 never-synced."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Rule, Seen

RULE = Rule(
    code="ZG501",
    name="never-synced",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="the closing micro-batch of a window is not reduced over the ranks",
    at="the context or flag",
)
