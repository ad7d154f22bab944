"""ZG604 zero-in-graph."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG604",
    name="zero-in-graph",
    severity=Severity.WARNING,
    seen=SeenBy.LINT | SeenBy.WATCH,
    fault="an in-place clear of a `.grad` that still needs its graph, after `create_graph=True`",
    at="the clear",
)
