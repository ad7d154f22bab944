"""Find rules by code, name or prefix, and name the nearest when there is none."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from zerograd.errors import UnknownRuleError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zerograd.rules.rule import Rule

LISTED = "`zerograd rules` lists them"


def catalogue() -> tuple[Rule, ...]:
    """Return every rule; loaded late, as a run that finds nothing needs none."""
    from zerograd.rules.catalogue import CATALOGUE

    return CATALOGUE


@cache
def by_code() -> dict[str, Rule]:
    """Return the rules by their codes."""
    return {rule.code: rule for rule in catalogue()}


@cache
def by_name() -> dict[str, Rule]:
    """Return the rules by their names."""
    return {rule.name: rule for rule in catalogue()}


def named_rule(name: str) -> Rule:
    """Return the rule of a name that is known to be one, without loading the others.

    >>> named_rule("missing-zero").code
    'ZG101'
    """
    rule: Rule = import_module(f"zerograd.rules.{name.replace('-', '_')}").RULE
    return rule


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
    """Return the rule whose code or name is this text, else those that begin with it."""
    exact = exact_rule(text)
    if exact:
        return (exact,)
    if not text:
        return ()
    return tuple(
        rule
        for rule in catalogue()
        if rule.code.startswith(text.upper()) or rule.name.startswith(text.lower())
    )


def exact_rule(text: str) -> Rule | None:
    """Return the rule of this whole code or whole name, as pragmas and `allow` spell it."""
    return by_code().get(text.upper()) or by_name().get(text.lower())


def code_prefix(text: str) -> str | None:
    """Return the code, or beginning of codes, that a setting means by this text.

    Settings take a whole name but no part of one: a part would grow with the catalogue.

    >>> code_prefix("missing-zero"), code_prefix("ZG4"), code_prefix("missing")
    ('ZG101', 'ZG4', None)
    """
    exact = exact_rule(text)
    if exact:
        return exact.code
    prefix = text.upper()
    is_prefix = prefix.startswith("ZG") and any(code.startswith(prefix) for code in by_code())
    return prefix if is_prefix else None


def suggestion(text: str) -> str:
    """Return the sentence that helps after a wrong rule."""
    spelled = text.upper() if text.upper().startswith("ZG") else text.lower()
    near = nearest(spelled, by_code() if spelled.isupper() else by_name())
    return f"did you mean {' or '.join(near)}? {LISTED}" if near else LISTED


def nearest(text: str, known: Iterable[str]) -> list[str]:
    """Return up to three known spellings that this text may have meant, the nearest first.

    A beginning counts like the whole: `mising` is near `missing-zero`.
    """
    # Only a wrong name needs difflib; the commands that list and explain start without it.
    from difflib import SequenceMatcher

    def likeness(spelling: str) -> float:
        beginning = spelling[: len(text) + 1]
        return max(SequenceMatcher(None, text, like).ratio() for like in (spelling, beginning))

    near = [spelling for spelling in known if likeness(spelling) > 0.75]
    return sorted(near, key=likeness, reverse=True)[:3]


def listing(rules: tuple[Rule, ...]) -> str:
    """Return the rules' names, a few of them, for a sentence."""
    names = [rule.name for rule in rules[:5]]
    return ", ".join(names) + (", ..." if len(rules) > 5 else "")
