"""Find rules by code, name or prefix, and name the nearest when there is none."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from zerograd.errors import UnknownRuleError
from zerograd.rules.catalogue import CATALOGUE

if TYPE_CHECKING:
    from zerograd.rules.rule import Rule

BY_CODE = {rule.code: rule for rule in CATALOGUE}
BY_NAME = {rule.name: rule for rule in CATALOGUE}


def find_rule(text: str) -> Rule:
    """Return the rule of this code, name or unique prefix of either.

    >>> find_rule("ZG101").name, find_rule("missing-z").name
    ('missing-zero', 'missing-zero')
    """
    rules = matching_rules(text)
    if len(rules) == 1:
        return rules[0]
    if rules:
        raise UnknownRuleError(f"{text!r} is the beginning of several rules: {listing(rules)}")
    raise UnknownRuleError(f"unknown rule {text!r}; {suggestion(text)}")


def matching_rules(text: str) -> tuple[Rule, ...]:
    """Return the rules whose code or name is this text, else those that begin with it."""
    exact = BY_CODE.get(text.upper()) or BY_NAME.get(text.lower())
    if exact:
        return (exact,)
    if not text:
        return ()
    return tuple(
        rule
        for rule in CATALOGUE
        if rule.code.startswith(text.upper()) or rule.name.startswith(text.lower())
    )


def suggestion(text: str) -> str:
    """Return the sentence that helps after a wrong name."""
    nearest = get_close_matches(text.lower(), BY_NAME, n=3)
    if text.upper().startswith("ZG"):
        nearest = get_close_matches(text.upper(), BY_CODE, n=3, cutoff=0.7)
    if not nearest:
        return "`zerograd rules` lists them"
    return f"did you mean {' or '.join(nearest)}? `zerograd rules` lists them"


def listing(rules: tuple[Rule, ...]) -> str:
    """Return the rules' names, a few of them, for a sentence."""
    names = [rule.name for rule in rules[:5]]
    return ", ".join(names) + (", ..." if len(rules) > 5 else "")
