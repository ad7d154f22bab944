"""ZG504 sync-each-micro-batch."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG504",
    name="sync-each-micro-batch",
    severity=Severity.HINT,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="gradients reduced over the ranks at every micro-batch of a window",
    at="the backward",
)
