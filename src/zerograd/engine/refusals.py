"""The errors of an engine's refusals: the verdict is the lifecycle's, the sentence the rules'."""

from __future__ import annotations

from zerograd.errors import LifecycleError
from zerograd.rules import is_allowed


def refused(situation: str, *lines: str, **names: object) -> LifecycleError:
    """Return the error of a situation, in the words of the rule that it breaks."""
    # A run that nothing is refused in loads neither the verdicts nor the sentences.
    from zerograd.lifecycle.verdicts.refusals import broken_rule
    from zerograd.rules.lookup import named_rule
    from zerograd.rules.refusals import REFUSALS

    rule = named_rule(broken_rule(situation))
    happened, repair = (words.format(**names) for words in REFUSALS[situation])
    return LifecycleError(f"{rule.name}: {happened}; {repair}", code=rule.code, lines=lines)


def is_let_through(situation: str) -> bool:
    """Tell whether the running code allows the rule that a situation breaks."""
    from zerograd.lifecycle.verdicts.refusals import broken_rule

    return is_allowed(broken_rule(situation))
