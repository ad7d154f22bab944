"""ZG602 kept-graph."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG602",
    name="kept-graph",
    severity=Severity.WARNING,
    seen=SeenBy.LINT | SeenBy.WATCH,
    fault="losses summed with their graphs, as `total += loss` does",
    at="the sum; in lint, where a meter has it, the call that hands it the loss",
    real=3,
)
