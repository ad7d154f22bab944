"""ZG205 window-off-by-one."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG205",
    name="window-off-by-one",
    severity=Severity.WARNING,
    seen=SeenBy.LINT | SeenBy.WATCH,
    fault="a step whose test is off by one, as `i % k == 0` with `i` from 0: a short first window",
    at="the step's condition",
    real=3,
)
