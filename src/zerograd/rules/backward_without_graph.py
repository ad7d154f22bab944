"""ZG601 backward-without-graph."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG601",
    name="backward-without-graph",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="backward on what was computed under `no_grad` or detached",
    at="the backward",
    real=1,
)
