"""ZG504 sync-each-micro-batch."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG504",
    name="sync-each-micro-batch",
    severity=Severity.HINT,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="gradients reduced over the ranks at every micro-batch of a window",
    at="the backward",
)
