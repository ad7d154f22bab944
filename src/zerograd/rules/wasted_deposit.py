"""ZG703 wasted-deposit."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG703",
    name="wasted-deposit",
    severity=Severity.HINT,
    seen=SeenBy.WATCH,
    fault="gradients computed and cleared unspent at each step",
    at="the backward",
)
