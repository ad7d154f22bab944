"""ZG208 unequal-micro-batches."""

from zerograd.rules.rule import Repair, Rule, SeenBy
from zerograd.severity import Severity

RULE = Rule(
    code="ZG208",
    name="unequal-micro-batches",
    severity=Severity.WARNING,
    seen=SeenBy.LINT | SeenBy.WATCH | SeenBy.ENGINE,
    fault="means over different numbers of items are added with equal weights",
    at="the deposit",
    repair=Repair.UNSAFE,
)
