"""ZG501 never-synced."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG501",
    name="never-synced",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="the closing micro-batch of a window is not reduced over the ranks",
    at="the context or flag",
    real=1,
)
