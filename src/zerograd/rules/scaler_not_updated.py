"""ZG405 scaler-not-updated."""

from zerograd.rules.rule import Repair, Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG405",
    name="scaler-not-updated",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="`scaler.step` or `unscale_` with no `update` on some path",
    at="the earlier scaler call",
    repair=Repair.UNSAFE,
    real=3,
)
