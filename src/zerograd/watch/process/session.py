"""Compose observer, ledger and report for one watched stretch, from `start` to `stop`."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from time import monotonic
from typing import TYPE_CHECKING

from zerograd import hooks
from zerograd.findings.record import to_record
from zerograd.hooks.guard import is_programs_own
from zerograd.lifecycle import Entry, Fault, Ledger, Severity, Tally
from zerograd.record import replace
from zerograd.rules import allowance
from zerograd.rules.allowance import allowed_now
from zerograd.settings import Settings
from zerograd.source.lines import CallSite
from zerograd.source.loops import Reader
from zerograd.source.manual_gradients import done_by_hand, may_be_done_by_hand
from zerograd.watch.damage.expected_gradient import is_turn
from zerograd.watch.damage.measure import known
from zerograd.watch.damage.negligible import UNEQUAL, weighed
from zerograd.watch.fast_path.one_group import FastPath
from zerograd.watch.observe.other_ranks import UNSHARED, OtherRanks
from zerograd.watch.process.refreshing import Refreshing
from zerograd.watch.process.script_end import faults_of
from zerograd.watch.process.stopping import Brake, Limits
from zerograd.watch.ranks.records import Records
from zerograd.watch.report.admission import Admission
from zerograd.watch.report.finding_from_fault import findings, locate, statement
from zerograd.watch.report.proof import proof_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from torch.optim import Optimizer

    from zerograd.findings import Finding, Location
    from zerograd.findings.record import Record
    from zerograd.history import Tracker
    from zerograd.lifecycle import Event, Place
    from zerograd.watch.damage.expected_gradient import ExpectedSum
    from zerograd.watch.damage.measure import Measure
    from zerograd.watch.report.meter import Meter
    from zerograd.watch.report.recording import Recorder
    from zerograd.watch.report.tracking import RunTracking


MEASURED = 256
"""Measures that are kept of one finding."""


class Session:
    """Listens to torch, keeps the books, and knows what to say."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        limits: Limits | None = None,
        on_first: Callable[[Finding], None] | None = None,
        on_progress: Callable[[], None] | None = None,
        on_held: Callable[[Record], None] | None = None,
        on_broken: Callable[[], None] | None = None,
        on_proof: Callable[[Record], None] | None = None,
        record: bool = False,
        track: Tracker | None = None,
        refresh: float = 0.0,
    ) -> None:
        self._refreshing = Refreshing(refresh)
        self.on_proof = on_proof
        """Told how each window compares with the gradient of its whole batch, if wanted."""
        self.record = record or track is not None
        """Keep a history too, for the HTML report or a tracker."""
        self.track = track
        """Given what is measured at each window, if somebody wants it."""
        self.settings = settings or Settings()
        self.limits = limits or Limits()
        self.on_first = on_first
        """Told of each finding when it first happens."""
        self.on_progress = on_progress
        """Told at steps 1, 2, 4, 8, ..., and when a snapshot is due."""
        self.on_held = on_held
        """Told what this rank holds at some steps, if somebody compares it with the others'."""
        self.on_broken = on_broken
        """Told when a mistake of ours has ended the watching."""
        self.internal_error: Exception | None = None
        """Why we stopped listening in mid-run; the script never notices, and nothing is found."""
        self.running = False
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget everything: a new run, or a forked process with books of its own."""
        was_running = self.running
        if was_running:
            self.silence()
        self.ledger = Ledger()
        self.tally = Tally()
        self.measures: dict[tuple[str, Hashable], list[Measure]] = {}
        self.admission = Admission(self.settings)
        self.tracking = self._new_tracking()
        self.recorder = self._new_recorder()
        self.fast_path = FastPath(
            self._post if self.recorder is None else self.recorder.post,
            Reader(),
            repost=self._repost,
            report=lambda fault: self._take((fault,)),
            fail=self.fail,
            stepped=self._stepped,
        )
        self.observer, self.cache = self.fast_path.observer, self.fast_path.cache
        self.observer.is_due = self._refreshing.is_due
        records = (
            Records(self.on_held, self._parting_at, self._unequal_at)
            if self.on_held is not None
            else None
        )
        self.ranks = OtherRanks(self.observer, self.cache, records)
        self._meter = self._new_meter()
        if self.on_proof is not None:
            self.cache.answer_all()
            self.observer.poster.damages.prove = self._prove
        self._brake = Brake(self.limits, self._steps)
        self._ran: dict[Place, frozenset[str]] = {}
        """The lines that ran, each with what it was allowed when it last did."""
        self._unused: list[Finding] = []
        if was_running:
            self.start()

    def _new_tracking(self) -> RunTracking | None:
        if self.track is None:
            return None
        from zerograd.watch.report.tracking import RunTracking

        return RunTracking(self.track)

    def _new_recorder(self) -> Recorder | None:
        if not self.record:
            return None
        # Imported here: a run without a report with a history pays nothing for it.
        from zerograd.watch.report.recording import Recorder

        return Recorder(self._post, self.tracking)

    def _new_meter(self) -> Meter | None:
        if self.recorder is None:
            return None
        from zerograd.watch.report.meter import Meter

        # A tracker too is told of measured windows alone, each when it closes.
        self.cache.unmeasured = self.recorder.unmeasured
        self.recorder.forget = self.cache.forget
        self.recorder.know(self.observer.poster.registry)
        return Meter(self.recorder, self.cache)

    def start(self) -> None:
        """Begin to listen; what fails to begin leaves torch as it was found."""
        if not self.running:
            try:
                self._listen()
            except Exception as mistake:
                self.fail(mistake)

    def meet(self, optimizer: Optimizer) -> None:
        """Take in an optimizer that was built before; its windows are judged from here on."""
        try:
            if self.running:
                self.observer.group_added(optimizer)
                if self._meter is not None:
                    self._meter.group_added(optimizer)
        except Exception as mistake:
            self.fail(mistake)

    def count_anew(self) -> None:
        """Forget what was found and keep the books: the next findings are those of a new run."""
        self.cache.catch_up()
        self.tally = Tally()
        self.measures = {}

    def _listen(self) -> None:
        self.running = True
        self.observer.modules.listen()
        hooks.subscribe(self.fast_path, self.fail)
        allowance.changed.append(self.cache.allowance_changed)
        self.ranks.start()
        if self._meter is not None:
            hooks.subscribe(self._meter, self.fail)
        if self.limits.any:
            # Unguarded: it raises on purpose.
            hooks.subscribe(self._brake)

    def stop(self, error: BaseException | None = None, *, whole: bool = True) -> None:
        """Listen no more, and judge what only the end shows.

        `error` is what ended the script. Not `whole` is a stretch that was cut off, or a test:
        what never happened in it may well happen elsewhere.
        """
        if not self.running:
            return
        ended_well = error is None or (isinstance(error, SystemExit) and not error.code)
        whole = whole and ended_well and not self.limits.reached
        try:
            self.silence()
            self.cache.catch_up()
            if any(isinstance(entry.fault.optimizer, tuple) for entry in self.tally):
                self.observer.settle_last()  # a step by hand shows at the next call of torch
            self._take(self.ledger.close(clean=whole))
            self._take(faults_of(error))
            if self.recorder is not None:
                self.recorder.finish()
            if whole:
                self._take(filter(None, (self.observer.evaluations.close(),)))
                self._take(self.ranks.close())
                self._unused = self.admission.unused(self._lines_that_ran())
        except Exception as mistake:  # a bug of ours at the end of a good run
            self.fail(mistake)

    def begin_chapter(self) -> None:
        """Count and report anew what happens again from here on."""
        self.cache.catch_up()
        self.tally.begin_chapter()

    @property
    def findings(self) -> list[Finding]:
        """What was found so far and is wanted, in the order of the source.

        Nothing once a mistake of ours has shown: what was found before may be one of its works.
        """
        try:
            self.cache.catch_up()
            return [] if self.internal_error is not None else self._findings()
        except Exception as mistake:
            self.fail(mistake)
            return []

    def _findings(self) -> list[Finding]:
        kept = findings(self._judged(), self.measures)
        found = [found for found in kept if self.admission.admits(found)]
        return sorted(found + self._unused, key=lambda finding: finding.order)

    def _judged(self) -> list[Entry]:
        """Return what was found, less what the program's way with other ranks explains."""
        now = {_line_of(entry) for entry in self.tally if not entry.is_past}
        return [
            entry
            for entry in self.tally
            if not self.ranks.explains(entry.fault.rule)
            and not (entry.is_past and _line_of(entry) in now)
        ]

    def _parting_at(self, place: CallSite) -> Record | None:
        """Return the finding to report if ranks differ at this step, if it is wanted."""
        return self._stated(Fault(rule="ranks-diverge", severity=Severity.ERROR, place=place))

    def _unequal_at(self, place: CallSite) -> Record | None:
        """Return the finding to report if the ranks' items differ at this deposit, if wanted."""
        return self._stated(Fault(rule=UNEQUAL, severity=Severity.WARNING, place=place))

    def _stated(self, fault: Fault) -> Record | None:
        finding = statement(Entry(fault, 1, 0, 0))
        if self._is_allowed(fault) or not self.admission.admits(finding):
            return None
        return to_record(finding)

    def _prove(self, number: int, meant: ExpectedSum, measure: Measure | None) -> None:
        """Tell how what a step spends compares with the gradient of its whole batch."""
        if self.on_proof is not None:
            self.on_proof(proof_of(number, self.observer, meant, measure))

    def internal_words(self) -> str | None:
        """Return what went wrong with us, in one line."""
        error = self.internal_error
        if error is None:
            return None
        if is_programs_own(error):
            return f"the program's own {type(error).__name__} came in the middle of our work"
        return f"{type(error).__name__}: {error}".partition("\n")[0]

    def _stepped(self, steps: int) -> None:
        del steps
        if self.on_progress is not None:
            since = monotonic()
            self.on_progress()
            self._refreshing.written(since)

    def _steps(self) -> int:
        """Return how many steps were made, and judged."""
        self.cache.catch_up()
        return self.observer.steps.count

    def _post(self, event: Event) -> None:
        self._ran[event.place] = allowed_now()
        self.observer.poster.damages.hear(event)
        self._judge(event)

    def _judge(self, event: Event) -> None:
        faults = self.ledger.post(event)
        if faults:
            self._take(faults)

    def _repost(self, events: list[Event]) -> None:
        """Post what was posted before, once more."""
        allowed = allowed_now()
        different = dict(zip(map(id, events), events, strict=True))
        self._ran.update((event.place, allowed) for event in different.values())
        if self.recorder is not None:
            for event in events:
                self.recorder.post(event, self._judge)
            return
        for faults in self.ledger.post_all(events):
            self._take(faults)

    def _take(self, faults: Iterable[Fault]) -> None:
        for fault in faults:
            if fault.place is None or self._is_allowed(fault) or done_by_hand(fault):
                continue
            fault = self._weighed(self._explained(fault))
            known = self.tally.knows(fault)
            new = not known or self.tally.entry(fault).is_graver(fault)
            if not known:
                self.measures.pop((fault.rule, fault.place), None)
                # What one parameter showed in its turn, the others are asked about.
                self.observer.poster.sampling.relapse()
            self.tally.add((fault,))
            self._measure(fault)
            if self.recorder is not None:
                self.recorder.fault(fault)
            if new:
                self._tell(fault)

    def _explained(self, fault: Fault) -> Fault:
        """Say what it comes to, where that is known."""
        if may_be_done_by_hand(fault):
            return replace(fault, severity=Severity.HINT)
        if fault.rule != "missing-zero":
            return fault
        momentum = fault.optimizer in self.observer.poster.damages.momentum
        return replace(fault, readings={**fault.readings, "momentum": momentum})

    def _weighed(self, fault: Fault) -> Fault:
        """Let what was measured so far, this step included, decide how grave a fault is."""
        now = self.observer.poster.damages.last.get((fault.rule, fault.optimizer))
        before = self.measures.get((fault.rule, fault.place), [])
        return weighed(fault, before if now is None else [*before, now])

    def _is_allowed(self, fault: Fault) -> bool:
        """Whether the code that is judged now, or the line at fault when it ran, allowed it."""
        return fault.rule in allowed_now() or fault.rule in self._ran.get(fault.place, ())

    def _lines_that_ran(self) -> list[Location]:
        return [locate(place.line) for place in self._ran if isinstance(place, CallSite)]

    def _measure(self, fault: Fault) -> None:
        """Keep how badly this occurrence changed what was spent, if it is known."""
        damages, entry = self.observer.poster.damages, self.tally.entry(fault)
        measure = known(fault)
        if measure is None:
            damages.found(fault)
            measure = damages.last.pop((fault.rule, fault.optimizer), None)
        elif not is_turn(entry.count):
            return
        kept = self.measures.setdefault((fault.rule, fault.place), [])
        if measure is not None and len(kept) < MEASURED:
            kept.append(measure)
        if entry.fault.readings.get("last_clear") is None and fault.readings.get("last_clear"):
            entry.fault = fault  # "never cleared" was too early to say

    def _tell(self, fault: Fault) -> None:
        finding = statement(self.tally.entry(fault), self.measures)
        if not self.admission.admits(finding) or fault.rule in UNSHARED:
            return
        if self.on_first is not None:
            self.on_first(finding)
        if fault.severity is Severity.ERROR:
            self.limits.fault_found(finding)

    def fail(self, mistake: Exception) -> None:
        """Stop watching after an internal error: training continues, and the report mentions it.

        What a signal handler raised while we were at work is the program's, and goes on to it.
        """
        first = self.internal_error is None
        self.internal_error = self.internal_error or mistake
        self.limits.found = None  # the brake may still be told of this very step
        with suppress(Exception):
            self.silence()
        if first and self.on_broken is not None:
            with suppress(Exception):
                self.on_broken()
        if is_programs_own(mistake):
            raise mistake

    def silence(self) -> None:
        """Listen no more, and judge nothing."""
        self.running = False
        with ExitStack() as all_of_them:  # also those after one that fails
            all_of_them.callback(self.observer.modules.stop)
            all_of_them.callback(hooks.unsubscribe, self._meter)
            all_of_them.callback(hooks.unsubscribe, self._brake)
            all_of_them.callback(self.ranks.stop)
            all_of_them.callback(hooks.unsubscribe, self.fast_path)
            allowance.changed[:] = [
                tell for tell in allowance.changed if tell != self.cache.allowance_changed
            ]


def _line_of(entry: Entry) -> tuple[str, object]:
    """Return the rule and the line: a cell that is run again has places of its own."""
    place = entry.fault.place
    return entry.fault.rule, place.line if isinstance(place, CallSite) else place
