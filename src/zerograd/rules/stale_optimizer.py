"""ZG306 stale-optimizer."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG306",
    name="stale-optimizer",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH,
    fault="the optimizer holds tensors that are no longer the model's",
    at="the optimizer's construction",
    real=1,
)
