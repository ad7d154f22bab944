"""ZG307 shared-parameter."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG307",
    name="shared-parameter",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="the same deposit is spent by two optimizers",
    at="the later optimizer's construction",
    real=2,
)
