"""ZG503 wrapper-bypassed."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG503",
    name="wrapper-bypassed",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="the bare module is called instead of its DDP wrapper",
    at="the call",
    real=1,
)
