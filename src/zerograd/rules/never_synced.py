"""ZG501 never-synced."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG501",
    name="never-synced",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="the closing micro-batch of a window is not reduced over the ranks",
    at="the context or flag",
    real=1,
)
