"""ZG101 missing-zero."""

from zerograd.rules.rule import Repair, Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG101",
    name="missing-zero",
    severity=Severity.ERROR,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="deposits on top of gradients that a step already spent",
    at="the deposit",
    repair=Repair.UNSAFE,
    real=15,
)
