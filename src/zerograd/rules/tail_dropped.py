"""ZG203 tail-dropped."""

from zerograd.rules.rule import Rule, Seen
from zerograd.severity import Severity

RULE = Rule(
    code="ZG203",
    name="tail-dropped",
    severity=Severity.HINT,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="an unfinished last window is never spent",
    at="the step, its condition as evidence",
)
