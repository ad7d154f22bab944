"""One step that is about to spend, with everything that the ledger's checks read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.fault import Fault, Witness
from zerograd.record import record

if TYPE_CHECKING:
    from zerograd.lifecycle.books import Books
    from zerograd.lifecycle.events import Place, Step
    from zerograd.lifecycle.owner import Owner
    from zerograd.lifecycle.verdicts.verdict import Verdict
    from zerograd.lifecycle.window import Content, Window
    from zerograd.lifecycle.window_statistics import WindowStatistics


@record(frozen=True)
class JudgedStep:
    """The end of one window of one optimizer."""

    books: Books
    owner: Owner
    event: Step
    content: Content
    """What lies fresh, if it is of one source."""

    window: Window
    """The window that ends."""

    statistics: WindowStatistics
    """What the windows, this one included, have in common."""

    @classmethod
    def of(cls, books: Books, owner: Owner, event: Step) -> JudgedStep:
        """Gather what a step of this optimizer is judged by."""
        return cls(books, owner, event, owner.content(), owner.window, owner.statistics)

    def fault(
        self,
        verdict: Verdict,
        place: Place,
        *witnesses: tuple[str, Place],
        **readings: object,
    ) -> Fault:
        """State a fault of this optimizer at this step."""
        return Fault.of(
            verdict,
            place,
            *(Witness(what, where) for what, where in witnesses),
            optimizer=self.owner.optimizer,
            step=self.owner.steps,
            **readings,
        )
