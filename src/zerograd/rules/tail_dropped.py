"""ZG203 tail-dropped."""

from zerograd.rules.rule import Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG203",
    name="tail-dropped",
    severity=Severity.HINT,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="an unfinished last window is never spent",
    at="the step, its condition as evidence",
)
