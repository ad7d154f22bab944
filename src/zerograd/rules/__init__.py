"""The catalogue: pure data, one file a rule, one page a rule."""

from zerograd.rules.catalogue import CATALOGUE
from zerograd.rules.lookup import find_rule, matching_rules
from zerograd.rules.rule import Repair, Rule, Seen, Status

__all__ = ["CATALOGUE", "Repair", "Rule", "Seen", "Status", "find_rule", "matching_rules"]
