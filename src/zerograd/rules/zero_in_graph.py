"""ZG604 zero-in-graph."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG604",
    name="zero-in-graph",
    severity=Severity.WARNING,
    seen=Seen.LINT | Seen.WATCH,
    fault="an in-place clear of a `.grad` that still needs its graph, after `create_graph=True`",
    at="the clear",
)
