"""A fault: one illegal move, on its line, with the lines that led to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.verdict import Verdict
from zerograd.record import field, record, replace

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from zerograd.lifecycle.events import Place
    from zerograd.severity import Severity


@record(frozen=True)
class Witness:
    """One line that led to a fault, in the order in which it happened."""

    what: str
    place: Place


@record(frozen=True, kw_only=True)
class Fault:
    """One occurrence of one rule; a loop that is wrong has one at each step."""

    rule: str
    """The rule's name; the catalogue lies above this package."""

    severity: Severity
    place: Place
    """The line of the finding."""

    witnesses: tuple[Witness, ...] = ()
    optimizer: Hashable = None
    step: int = 0
    """The optimizer's step at which it was judged, counted from 1."""

    readings: Mapping[str, object] = field(default_factory=dict)
    """Numbers for the message: `deposits`, `divisor`, `parameters`."""

    @property
    def verdict(self) -> Verdict:
        """The verdict that it is an occurrence of; a run has no assumptions."""
        return Verdict(self.rule, self.severity)

    @classmethod
    def of(
        cls,
        verdict: Verdict,
        place: Place,
        *witnesses: Witness,
        optimizer: Hashable = None,
        step: int = 0,
        **readings: object,
    ) -> Fault:
        """Place a verdict on its line."""
        return cls(
            rule=verdict.rule,
            severity=verdict.severity,
            place=place,
            witnesses=witnesses,
            optimizer=optimizer,
            step=step,
            readings=readings,
        )

    def followed_by(self, others: tuple[Fault, ...]) -> Fault:
        """Take faults of lower precedence as witnesses: one fault, one finding."""
        also = tuple(Witness(f"also {other.rule}", other.place) for other in others)
        return replace(self, witnesses=self.witnesses + also)
