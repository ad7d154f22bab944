"""The catalogue: pure data, one file a rule, one page a rule."""

from typing import TYPE_CHECKING

from zerograd.lazy_imports import late

if TYPE_CHECKING:
    from zerograd.rules.allowance import allow, is_allowed
    from zerograd.rules.catalogue import CATALOGUE
    from zerograd.rules.lookup import (
        code_prefix,
        exact_rule,
        find_rule,
        matching_rules,
        named_rule,
        suggestion,
    )
    from zerograd.rules.rule import Repair, Rule, SeenBy, Status
    from zerograd.rules.sections import SECTIONS

__all__ = [
    "CATALOGUE",
    "SECTIONS",
    "Repair",
    "Rule",
    "SeenBy",
    "Status",
    "allow",
    "code_prefix",
    "exact_rule",
    "find_rule",
    "is_allowed",
    "matching_rules",
    "named_rule",
    "suggestion",
]

if not TYPE_CHECKING:
    _HOMES = ("sections", "lookup", "rule", "allowance", "catalogue")
    __getattr__ = late(__name__, _HOMES, __all__)
