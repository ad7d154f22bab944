"""One watched stretch of a run: from `start` to `stop`, with its findings at any moment."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from zerograd import hooks
from zerograd.lifecycle import Ledger, Severity, Tally
from zerograd.rules import find_rule, is_allowed
from zerograd.settings import Settings, selected
from zerograd.watch.ending import faults_of
from zerograd.watch.observer import Observer
from zerograd.watch.reading import Reader
from zerograd.watch.statements import findings, statement
from zerograd.watch.stopping import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from zerograd.findings import Finding
    from zerograd.lifecycle import Event, Fault
    from zerograd.watch.damage import Measure


class Session:
    """Listens to torch, keeps the books, and knows what to say."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        limits: Limits | None = None,
        on_first: Callable[[Finding], None] | None = None,
        on_progress: Callable[[], None] | None = None,
    ) -> None:
        self.settings = settings or Settings()
        self.limits = limits or Limits()
        self.on_first = on_first
        """Told of each finding when it first happens."""
        self.on_progress = on_progress
        """Told at steps 1, 2, 4, 8, ..."""
        self.internal_error: BaseException | None = None
        """Why we stopped listening in mid-run; the script never notices."""
        self.running = False
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget everything: a new run, or a forked process with books of its own."""
        self.ledger = Ledger()
        self.tally = Tally()
        self.measures: dict[tuple[str, Hashable], list[Measure]] = {}
        if self.running:
            self._silence()
            self.observer = self._new_observer()
            self.start()
        else:
            self.observer = self._new_observer()

    def _new_observer(self) -> Observer:
        return Observer(
            self._post,
            Reader(),
            report=lambda fault: self._take((fault,)),
            fail=self._fail,
            stepped=self._stepped,
        )

    def start(self) -> None:
        """Begin to listen."""
        if not self.running:
            self.running = True
            self.observer.modules.listen()
            hooks.subscribe(self.observer)

    def stop(self, error: BaseException | None = None) -> None:
        """Listen no more, and judge what only the end shows; `error` is what ended the script."""
        if not self.running:
            return
        self._silence()
        ended_well = error is None or (isinstance(error, SystemExit) and not error.code)
        if self.internal_error is None:
            self._take(self.ledger.close(clean=ended_well))
            self._take(faults_of(error))

    @property
    def findings(self) -> list[Finding]:
        """What was found so far and is wanted, in the order of the source."""
        return [found for found in findings(self.tally, self.measures) if self._wanted(found)]

    def internal_words(self) -> str | None:
        """Return what went wrong with us, in one line."""
        error = self.internal_error
        return None if error is None else f"{type(error).__name__}: {error}"

    def _stepped(self, steps: int) -> None:
        if self.on_progress is not None and steps & (steps - 1) == 0:
            self.on_progress()
        self.limits.check(steps)

    def _post(self, event: Event) -> None:
        faults = self.ledger.post(event)
        if faults:
            self._take(faults)

    def _take(self, faults: Iterable[Fault]) -> None:
        for fault in faults:
            if is_allowed(fault.rule) or fault.place is None:
                continue
            new = not self.tally.knows(fault)
            self.tally.add((fault,))
            self._measure(fault)
            if new:
                self._tell(fault)

    def _measure(self, fault: Fault) -> None:
        """Keep what this step's gradients were like, if this fault is about it."""
        measure = self.observer.clerk.damages.last.get(fault.optimizer)
        if fault.rule == "missing-zero" and measure is not None:
            self.measures.setdefault((fault.rule, fault.place), []).append(measure)

    def _tell(self, fault: Fault) -> None:
        if not selected(find_rule(fault.rule), fault.severity, self.settings):
            return
        finding = statement(self.tally.entry(fault), self.measures)
        if self.on_first is not None:
            self.on_first(finding)
        if fault.severity is Severity.ERROR:
            self.limits.fault_found(finding)

    def _wanted(self, finding: Finding) -> bool:
        return selected(finding.rule, finding.severity, self.settings)

    def _fail(self, error: BaseException) -> None:
        # A bug of ours must not become the training's: we go, and say so at the end.
        self.internal_error = error
        self._silence()

    def _silence(self) -> None:
        self.running = False
        hooks.unsubscribe(self.observer)
        self.observer.modules.stop()


def uncaught() -> BaseException | None:
    """Return the exception that ended the script, once the interpreter has printed it."""
    return getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
