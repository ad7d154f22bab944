"""ZG209 items-ignored."""

from zerograd.rules.rule import Repair, Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG209",
    name="items-ignored",
    severity=Severity.WARNING,
    seen=SeenBy.LINT,
    fault="a Trainer's own loss ignores `num_items_in_batch`, or divides once too often",
    at="the method",
    repair=Repair.UNSAFE,
)
