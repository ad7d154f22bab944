"""ZG504 sync-each-micro-batch."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Rule, Seen

RULE = Rule(
    code="ZG504",
    name="sync-each-micro-batch",
    severity=Severity.HINT,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="gradients reduced over the ranks at every micro-batch of a window",
    at="the backward",
)
