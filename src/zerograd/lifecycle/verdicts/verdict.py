"""Facts that are yes, no or unknown, and the verdict that a rule's facts lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from zerograd.record import record, replace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zerograd.severity import Severity


class Unknown:
    """A fact that cannot be known; what is concluded from it rests on these assumptions.

    It means "taken as whatever the verdict needs", so it is the same whether the fact or its
    contrary is asked for: if nobody can tell whether `train(optimizer)` clears, then neither
    "it clears" nor "it does not clear" is more than the assumption `optimizer-kept`.
    """

    __slots__ = ("assumptions",)

    def __init__(self, *assumptions: str) -> None:
        self.assumptions = assumptions

    def __bool__(self) -> bool:
        raise TypeError("an unknown fact is neither yes nor no")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unknown) and other.assumptions == self.assumptions

    def __hash__(self) -> int:
        return hash(self.assumptions)

    def __repr__(self) -> str:
        return f"Unknown{self.assumptions!r}"


Fact: TypeAlias = bool | Unknown
"""Yes, no or unknown. A run only ever has True and False."""


def shown(is_shown: bool, assumption: str) -> Fact:
    """Return a fact that is yes where it was shown, and otherwise an assumption."""
    return True if is_shown else Unknown(assumption)


def no(fact: Fact) -> Fact:
    """Return the contrary of a fact."""
    return fact if isinstance(fact, Unknown) else fact is False


def both(*facts: Fact) -> Fact:
    """Return yes if all facts are; one that is no decides, whatever is unknown.

    >>> both(True, Unknown("optimizer-kept")), both(False, Unknown("optimizer-kept"))
    (Unknown('optimizer-kept',), False)
    """
    if False in facts:
        return False
    return True if facts.count(True) == len(facts) else Unknown(*_assumptions(facts))


def either(*facts: Fact) -> Fact:
    """Return yes if one fact is; one that is yes decides, whatever is unknown.

    >>> either(True, Unknown("optimizer-kept")), either(False, Unknown("optimizer-kept"))
    (True, Unknown('optimizer-kept',))
    """
    if True in facts:
        return True
    return False if facts.count(False) == len(facts) else Unknown(*_assumptions(facts))


def _assumptions(facts: tuple[Fact, ...]) -> tuple[str, ...]:
    """Return the assumptions behind the unknown ones, each once and in order."""
    names = [name for fact in facts if isinstance(fact, Unknown) for name in fact.assumptions]
    return tuple(dict.fromkeys(names))


@record(frozen=True)
class Verdict:
    """What the facts lead to: the rule that is broken, how gravely, and on which assumptions."""

    rule: str
    """The rule's name; the catalogue lies above this package."""

    severity: Severity
    """The most that it can be; assumptions can only make it less."""

    assumptions: tuple[str, ...] = ()
    """The names of what was unknown and taken as the verdict needs it."""

    def assuming(self, was_shown: Mapping[str, bool]) -> Verdict:
        """Return the verdict with those of some further assumptions that were not shown."""
        more = [name for name, is_shown in was_shown.items() if not is_shown]
        names = tuple(dict.fromkeys((*self.assumptions, *more)))
        return Verdict(self.rule, self.severity, names) if more else self


def deem(rule: str, severity: Severity, *needed: Fact) -> Verdict | None:
    """Return the verdict that a rule is broken, if no fact that it needs is no."""
    if False in needed:
        return None
    return Verdict(rule, severity, _assumptions(needed))


def at_most(verdict: Verdict, severity: Severity) -> Verdict:
    """Return a verdict that is no graver than this."""
    return (
        verdict if verdict.severity.rank >= severity.rank else replace(verdict, severity=severity)
    )
