"""ZG405 scaler-not-updated."""

from zerograd.rules.rule import Repair, Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG405",
    name="scaler-not-updated",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="`scaler.step` or `unscale_` with no `update` on some path",
    at="the earlier scaler call",
    repair=Repair.UNSAFE,
    real=3,
)
