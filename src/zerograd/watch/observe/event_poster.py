"""Build the events of a run, one object for each line that repeats, and post them to the ledger."""

from __future__ import annotations

from threading import RLock, get_ident
from typing import TYPE_CHECKING

from zerograd.lifecycle import Construct, Dispose, Extend, ManualUpdate, Write, Writing
from zerograd.watch.damage.damages import Damages
from zerograd.watch.gradients.groups import REWRITTEN, SAME
from zerograd.watch.gradients.recently_used import RecentlyUsed
from zerograd.watch.gradients.registry import Registry, shapes_of
from zerograd.watch.gradients.sampling import Sampling
from zerograd.watch.observe.fused_kernels import could_be_fused, unfused
from zerograd.watch.observe.loss_roots import KeptGraphs
from zerograd.watch.observe.manual_grad_events import handwork
from zerograd.watch.observe.rescale_detection import SpentSamples

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from torch import Tensor
    from torch.optim import Optimizer

    from zerograd.lifecycle import Event, Fault
    from zerograd.source.lines import CallSite
    from zerograd.source.loops import Reader
    from zerograd.watch.gradients.groups import GradientChange, GradientGroup


class EventPoster:
    """What the parts of the observer share: registry, sampling, and the way to the ledger."""

    def __init__(
        self,
        post: Callable[[Event], None],
        report: Callable[[Fault], None],
        reader: Reader,
    ) -> None:
        self.post = post
        self.report = report
        """Told of a fault that is no matter of the order of events."""
        self.reader = reader
        self.registry = Registry()
        self.sampling = Sampling()
        self.kept = KeptGraphs()
        self.spent = SpentSamples()
        self.stepped: set[int] = set()
        """The optimizers that have been stepped."""
        self.damages = Damages(self.registry)
        self.lock = RLock()
        self.filling: dict[int, int] = {}
        """Backwards under way, by thread: how deeply nested."""
        self.reached: dict[int, frozenset[int]] = {}
        """The parameters that the last backward of each thread was to fill."""
        self.news: Callable[[], None] = _nobody_asks
        """Called when an optimizer is new or has grown."""
        self.rewritten = False
        """Somebody writes gradients through `.data`, which only their values show."""
        self._moved: set[frozenset[int]] = set()
        """Parameters that were moved down by hand while their optimizer had not stepped."""
        self._clears: set[CallSite] = set()
        """The lines that have called `zero_grad`."""
        self._events: RecentlyUsed[Hashable, Event] = RecentlyUsed()
        self._first_thread = get_ident()
        self._threaded = False
        """Several threads take part."""

    def event(self, kind: Callable[..., Event], *fields: Hashable, **more: Hashable) -> Event:
        """Return the one event object of this kind and content.

        The ledger recognises a steady state by identity: the same thing must be the same object.
        """
        key = (kind, fields, *more.items())
        event = self._events.get(key)
        if event is None:
            event = self._events[key] = kind(*fields, **more)
        return event

    def moved_again(self, keys: frozenset[int]) -> bool:
        """Whether parameters that no optimizer has stepped yet went down before already."""
        before = keys in self._moved
        self._moved.add(keys)
        return before

    def is_new_clear(self, place: CallSite) -> bool:
        """Whether a line calls `zero_grad` for the first time."""
        known = place in self._clears
        self._clears.add(place)
        return not known

    # -- optimizers

    def enlist(self, optimizer: Optimizer, place: CallSite) -> int:
        """Know an optimizer and its parameters; return its number."""
        current = self.registry.current(optimizer)
        if current is not None:
            return current
        known = self.registry.optimizers.knows(optimizer)
        number = self.registry.optimizers.of(optimizer)
        keys = self.registry.enlist(optimizer)
        if known:
            self.post(Extend(place, number, keys))
        else:
            self._construct(optimizer, place, number, keys)
        self.sampling.relapse()
        self.news()
        return number

    def _construct(
        self, optimizer: Optimizer, place: CallSite, number: int, keys: frozenset[int]
    ) -> None:
        shapes = shapes_of(p for group in optimizer.param_groups for p in group["params"])
        repeats = any(_repeats(group["params"]) for group in optimizer.param_groups)
        self.post(Construct(place, number, keys, repeats=repeats, shapes=shapes))
        if could_be_fused(optimizer):
            self.report(unfused(place))

    def bury(self) -> None:
        """Tell the ledger what no longer exists."""
        dead = self.registry.dead
        while dead:
            kind, number = dead.pop(0)
            if kind == "optimizer":
                self.kept.forget(number)
                self.damages.forget(number)
                self.registry.forget(number)
                self.post(Dispose(None, optimizer=number))
            else:
                self.post(Dispose(None, parameters=frozenset({number})))

    # -- what happened by hand

    def settle(self, groups: list[GradientGroup], place: CallSite) -> None:
        """Explain what changed since the last look, as somebody's handwork."""
        looks = self.look(groups)
        self._explain([one for one in looks if one[0] is not SAME or _holds(one[1])], place)
        self.read([group for change, group in looks if change is not SAME])

    def glance(self, groups: list[GradientGroup], place: CallSite) -> None:
        """Settle what left a trace; what lies there is about to be cleared whatever it is."""
        looks = self.look(groups)
        self._explain([one for one in looks if one[0] is not SAME or one[1].fresh], place)

    def _explain(self, looks: list[tuple[GradientChange, GradientGroup]], place: CallSite) -> None:
        self.rewritten = self.rewritten or any(change is REWRITTEN for change, _ in looks)
        found = [(event, g) for change, g in looks for event in handwork(change, g, place, self)]
        # A hand-written step goes through all parameters, group by group: it is one step.
        updated = [event.parameters for event, _ in found if isinstance(event, ManualUpdate)]
        if updated:
            self.post(self.event(ManualUpdate, place, frozenset().union(*updated)))
        for event, group in found:
            if isinstance(event, ManualUpdate):
                continue
            self.post(event)
            if isinstance(event, Write) and event.how is Writing.RESCALE:
                self.damages.decayed(group.owners)

    def read(self, groups: list[GradientGroup]) -> None:
        """Read a few elements of gradients that have changed, where they are looked at closely."""
        at_all = self.sampling.at_all
        for group in groups:
            if at_all or group.written:
                group.read_gradients(at_all=at_all)

    def absorb(self, groups: list[GradientGroup]) -> None:
        """Take what torch itself wrote as seen; whether a value is left is no longer known."""
        for change, group in self.look(groups):
            if change is not SAME:
                group.representative.was_zero = None

    def look(
        self, groups: list[GradientGroup], *, at_all: bool = False
    ) -> list[tuple[GradientChange, GradientGroup]]:
        """Look at those of these groups that no other thread's backward is filling."""
        if self.filling and (len(self.filling) > 1 or get_ident() not in self.filling):
            mine = get_ident()
            theirs = [self.reached[thread] for thread in self.filling if thread != mine]
            groups = [group for group in groups if all(map(group.keys.isdisjoint, theirs))]
        return self.registry.look(groups, at_all=at_all or self.sampling.at_all)

    def near(self, touched: Callable[[], frozenset[int]]) -> list[GradientGroup]:
        """Return the groups to look at: all, or with several threads what this call touches.

        torch crashes where one thread reads a `.grad` that another is setting to None.
        """
        self._threaded = self._threaded or get_ident() != self._first_thread
        if not self._threaded:
            return self.registry.groups
        keys = touched()
        return [group for group in self.registry.groups if not group.keys.isdisjoint(keys)]


def _holds(group: GradientGroup) -> bool:
    """Whether a deposit lies in a group, spent or not."""
    return group.fresh or group.spent


def _repeats(parameters: list[Tensor]) -> bool:
    """Whether one tensor is there twice, and would be stepped twice; torch only warns of it."""
    return len(set(map(id, parameters))) < len(parameters)


def _nobody_asks() -> None:
    """Do nothing."""
