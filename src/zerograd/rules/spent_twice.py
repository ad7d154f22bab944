"""ZG302 spent-twice."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG302",
    name="spent-twice",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="a second step spends gradients that the same optimizer already spent",
    at="the second step",
    real=11,
)
