"""ZG101 missing-zero."""

from zerograd.lifecycle import Severity
from zerograd.rules.rule import Repair, Rule, Seen

RULE = Rule(
    code="ZG101",
    name="missing-zero",
    severity=Severity.ERROR,
    seen=Seen.LINT | Seen.WATCH | Seen.ENGINE,
    fault="deposits on top of gradients that a step already spent",
    at="the deposit",
    repair=Repair.UNSAFE,
)
