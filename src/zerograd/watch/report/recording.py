"""Record every event of a run for the HTML report, on its way to the ledger.

Nothing here is loaded, and nothing costs, unless a report with a history is asked for.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from zerograd.history import History, Kind, OptimizerCourse
from zerograd.hooks.report_versions import versions
from zerograd.lifecycle import events as e
from zerograd.source.lines import CallSite
from zerograd.watch.report.inventory import Inventory
from zerograd.watch.report.paths import shown_path

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping
    from typing import Any

    from zerograd.lifecycle import Event, Fault, Place
    from zerograd.watch.gradients.registry import Registry
    from zerograd.watch.report.tracking import RunTracking

MOST = 48
"""Optimizers that are recorded; a sweep builds thousands."""


RESTING = 64
"""An optimizer that has not stepped for so many steps of others is not waited for. When it steps
again, nothing is known from before: its first window is measured as every wanted one is."""

BY_HAND = "by hand"
"""What updates without an optimizer are called."""


class Recorder:
    """Takes each event, passes it on to be judged, and keeps what happened to whom."""

    def __init__(self, post: Callable[[Event], None], tracking: RunTracking | None = None) -> None:
        self._post = post
        self._tracking = tracking
        self.inventory = Inventory()
        self.courses: dict[Hashable, OptimizerCourse] = {}
        self.clipped: tuple[OptimizerCourse, ...] = ()
        """Whose gradients the last clip touched."""
        self.deposited: tuple[OptimizerCourse, ...] = ()
        """Whose accounts the last backward reached."""
        self._names: dict[Hashable, str] = {}
        self._stepping: list[e.StepBegins] = []
        self._skipping: set[Hashable] = set()
        self._last: OptimizerCourse | None = None
        self._left_out: set[Hashable] = set()
        self._lines: dict[Place, str] = {}
        self._began = monotonic()
        self._closes = 0
        self._closed_at: dict[OptimizerCourse, int] = {}
        """When each course closed a window last, counted in windows of all."""
        self._awake: frozenset[OptimizerCourse] = frozenset()
        self.forget: Callable[[], None] = _nobody_remembers
        """Called when an optimizer begins to rest: what it did before is not to be expected."""

    def unmeasured(self) -> int:
        """Return how many steps of each optimizer from here the report needs no measure of."""
        awake = frozenset(
            course
            for course in self.courses.values()
            if self._closes - self._closed_at.get(course, 0) < RESTING
        )
        if self._awake - awake:
            self.forget()
        self._awake = awake
        return min((course.until_wanted() for course in awake), default=0)

    def know(self, registry: Registry) -> None:
        """Learn who has which number."""
        self.inventory.registry = registry

    def name(self, number: Hashable, name: str) -> None:
        """Learn what an optimizer is called."""
        self._names[number] = name
        if number in self.courses:
            self.courses[number].name = name

    def post(self, event: Event, judge: Callable[[Event], None] | None = None) -> None:
        """Note an event, have it judged, and close the window that it ends."""
        note = self._NOTES.get(type(event))
        if note is not None:
            note(self, event)
        (judge or self._post)(event)
        close = self._CLOSES.get(type(event))
        if close is not None:
            close(self, event)

    def fault(self, fault: Fault) -> None:
        """Mark the window that a fault happened in."""
        course = self.courses.get(fault.optimizer) or self._last
        if course is not None:
            course.fault(fault.rule)

    def skip(self, number: Hashable) -> None:
        """Learn that the step under way will change nothing."""
        self._skipping.add(number)

    def finish(self) -> None:
        """End the run."""
        for owner, course in self.courses.items():
            # An update by hand is noticed at the next event, and after the last there is none.
            if self._names.get(owner) != BY_HAND:
                course.end()

    def history(self) -> History:
        """Return what is known so far."""
        lanes = [course.lane() for course in self.courses.values()]
        return History(
            lanes=tuple(lane for lane in lanes if lane.runs),
            left_out=len(self._left_out),
            parameters=self.inventory.parameters(),
            facts=versions(monotonic() - self._began),
        )

    # -- what happened

    def _construct(self, event: e.Construct | e.Extend) -> None:
        self.inventory.own(event.optimizer, event.parameters)
        self._course(event.optimizer, event.place)

    def _deposit(self, event: e.Backward) -> None:
        self.inventory.reached(event.parameters)
        self._note(event, event.parameters, Kind.DEPOSIT)
        self.deposited = self._courses_of(event.parameters)

    def _clear(self, event: e.Clear) -> None:
        for owner in self.inventory.owners(event.parameters):
            whole = self.inventory.clear(owner, event.parameters)
            self._say(owner, event, Kind.CLEAR if whole else Kind.PART_CLEAR)

    def _write(self, event: e.Write) -> None:
        self._note(event, event.parameters, Kind.WRITE)

    def _clip(self, event: e.Clip) -> None:
        if not event.measures:
            self._note(event, event.parameters, Kind.CLIP)
        self.clipped = self._courses_of(event.parameters)

    def _unscale(self, event: e.Unscale) -> None:
        self._say(event.optimizer, event, Kind.UNSCALE)

    def _step(self, event: e.Step) -> None:
        idle = event.effect is e.Effect.NOTHING
        skipped = isinstance(event, e.ScalerStep) and event.skipped
        skipped |= event.optimizer in self._skipping
        self._skipping.discard(event.optimizer)
        kind = Kind.IDLE if idle else Kind.SKIP if skipped else Kind.SPEND
        self._say(event.optimizer, event, kind)

    def _stepped(self, event: e.Step) -> None:
        course = self.courses.get(event.optimizer)
        if course is not None and event.effect is not e.Effect.NOTHING:
            self._close(course)

    def _step_begins(self, event: e.StepBegins) -> None:
        self._stepping.append(event)

    def _step_ends(self, _: e.StepEnds) -> None:
        if self._stepping:
            event = self._stepping.pop()
            self._say(event.optimizer, event, Kind.SPEND)
            self._stepped(event)

    def _updated(self, event: e.ManualUpdate) -> None:
        owner = ("manual", event.parameters)
        if owner not in self.courses:
            self.name(owner, BY_HAND)
            self.inventory.own(owner, event.parameters)
        self._say(owner, event, Kind.SPEND)

    def _was_updated(self, event: e.ManualUpdate) -> None:
        course = self.courses.get(("manual", event.parameters))
        if course is not None:
            self._close(course)

    def _close(self, course: OptimizerCourse) -> None:
        if self._tracking is not None:
            self._tracking.window(course)
        self._closes += 1
        self._closed_at[course] = self._closes
        course.close()

    def _called(self, event: e.Called) -> None:
        self.inventory.called(event.module)

    def _disposed(self, event: e.Dispose) -> None:
        self.inventory.forget(event.parameters)

    # -- to whom

    def _note(self, event: Event, parameters: e.Parameters, kind: Kind) -> None:
        for owner in self.inventory.owners(parameters):
            if kind is Kind.DEPOSIT:
                self.inventory.deposit(owner, parameters)
            self._say(owner, event, kind)

    def _say(self, owner: Hashable, event: Event, kind: Kind) -> None:
        course = self._course(owner, event.place)
        if course is not None:
            self._last = course
            course.note(kind, self._line(event.place))

    def _courses_of(self, parameters: e.Parameters) -> tuple[OptimizerCourse, ...]:
        owners = self.inventory.owners(parameters)
        return tuple(self.courses[owner] for owner in owners if owner in self.courses)

    def _course(self, owner: Hashable, place: Place) -> OptimizerCourse | None:
        course = self.courses.get(owner)
        if course is None and len(self.courses) < MOST:
            name = self._names.get(owner, "optimizer")
            course = self.courses[owner] = OptimizerCourse(name, self._line(place))
        elif course is None:
            self._left_out.add(owner)
        return course

    def _line(self, place: Place) -> str:
        line = self._lines.get(place)
        if line is None:
            line = ""
            if isinstance(place, CallSite):
                line = f"{shown_path(place.line.path)}:{place.line.line}"
            self._lines[place] = line
        return line

    _NOTES: ClassVar[Mapping[type[Event], Callable[[Recorder, Any], None]]] = {
        e.Construct: _construct,
        e.Extend: _construct,
        e.Backward: _deposit,
        e.Clear: _clear,
        e.Write: _write,
        e.Clip: _clip,
        e.Unscale: _unscale,
        e.Step: _step,
        e.ScalerStep: _step,
        e.StepBegins: _step_begins,
        e.ManualUpdate: _updated,
        e.Called: _called,
        e.Dispose: _disposed,
    }
    _CLOSES: ClassVar[Mapping[type[Event], Callable[[Recorder, Any], None]]] = {
        e.Step: _stepped,
        e.ScalerStep: _stepped,
        e.StepEnds: _step_ends,
        e.ManualUpdate: _was_updated,
    }


def _nobody_remembers() -> None:
    """Do nothing: without a cache, every call is answered anew."""
