"""ZG302 spent-twice."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG302",
    name="spent-twice",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="a second step spends gradients that the same optimizer already spent",
    at="the second step",
    real=11,
)
