"""The observer: hears torch's calls, looks at the gradients, and posts what happened."""

from __future__ import annotations

from functools import partial, wraps
from threading import RLock, get_ident
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

from zerograd.hooks import call_site
from zerograd.lifecycle import (
    Backward,
    Clear,
    Clip,
    Construct,
    Dispose,
    Epoch,
    Evaluated,
    Extend,
    ScalerUpdate,
    SchedulerStep,
    Unscale,
    Use,
    Write,
    Writing,
)
from zerograd.watch import graph
from zerograd.watch.feeds import Feeds
from zerograd.watch.fusing import could_be_fused, unfused
from zerograd.watch.handwork import handwork
from zerograd.watch.members import SAME, VANISHED
from zerograd.watch.modules import Modules, shapes_of
from zerograd.watch.pace import Pace
from zerograd.watch.roots import Kept, Retained
from zerograd.watch.roster import Roster
from zerograd.watch.steps import Steps
from zerograd.watch.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from torch import Tensor
    from torch.nn import Module
    from torch.optim import Optimizer

    from zerograd.hooks import Source
    from zerograd.lifecycle import Event, Fault
    from zerograd.watch.members import Change, Group
    from zerograd.watch.reading import Reader

P = ParamSpec("P")

# How many of torch's own frames lie between our method and the user's line.
IN_BACKWARD = 4
IN_CALL = 3


def _locked(
    method: Callable[Concatenate[Observer, P], None],
) -> Callable[Concatenate[Observer, P], None]:
    """Let one thread at a time speak, and keep our own mistakes out of the training."""

    @wraps(method)
    def alone(self: Observer, *args: P.args, **kwargs: P.kwargs) -> None:
        with self.lock:
            try:
                method(self, *args, **kwargs)
            except Exception as error:
                self.fail(error)

    return alone


class Observer:
    """Subscribed to `zerograd.hooks`; everything it concludes goes to `post`."""

    def __init__(
        self,
        post: Callable[[Event], None],
        reader: Reader,
        *,
        report: Callable[[Fault], None],
        fail: Callable[[BaseException], None],
        stepped: Callable[[int], None],
    ) -> None:
        self.post = post
        self.reader = reader
        self.report = report
        """Told of a fault that is no matter of the order of events."""
        self.fail = fail
        """Told of a mistake of ours."""
        self.stepped = stepped
        """Told of every outermost step; what it raises reaches the script."""
        self.roster = Roster()
        self.pace = Pace()
        self.feeds = Feeds()
        self.turns = Turns()
        self.steps = Steps(self)
        self.modules = Modules(self)
        self.lock = RLock()
        self.filling: dict[int, int] = {}
        """Backwards under way, by thread: how deeply nested."""
        self.places: dict[int, Source] = {}
        """Where those backwards were called."""
        self.backwards = 0
        self._sites: dict[Source, int] = {}
        """How often each line ran a backward, up to when its graph was last searched."""
        self._events: dict[Hashable, Event] = {}
        self._reading = graph.Loss()
        self._tracked = False
        self._weighted = False
        """The backward was given gradients of its own: `loss.backward(torch.tensor(1 / k))`."""
        self._scaled = False
        self.retained = Retained()
        self.kept = Kept()
        self._root: int | None = None
        self._reaches: tuple[int, ...] = ()
        self._reached_nobody = False
        """The last backward moved no account that we know: there must be others."""

    # -- the same event object for the same thing, so that the ledger finds its groove

    def event(self, kind: type[Event], *fields: Hashable, **more: Hashable) -> Event:
        """Return the one event object of this kind and content."""
        key = (kind, fields, *more.values())
        event = self._events.get(key)
        if event is None:
            event = self._events[key] = kind(*fields, **more)  # type: ignore[arg-type]  each kind has fields of its own
        return event

    # -- optimizers

    @_locked
    def group_added(self, optimizer: Optimizer) -> None:
        """Take in an optimizer that is being built, or what was added to it."""
        self.enlist(optimizer, call_site(IN_CALL))

    def enlist(self, optimizer: Optimizer, place: Source) -> int:
        """Know an optimizer and its parameters; return its number."""
        known = self.roster.optimizers.knows(optimizer)
        number = self.roster.optimizers.of(optimizer)
        if not self.roster.is_current(optimizer):
            keys = self.roster.enlist(optimizer)
            if known:
                self.post(Extend(place, number, keys))
            else:
                tensors = (p for group in optimizer.param_groups for p in group["params"])
                repeats = self.reader.repeats(place)
                self.post(
                    Construct(place, number, keys, repeats=repeats, shapes=shapes_of(tensors))
                )
                if could_be_fused(optimizer):
                    self.report(unfused(place))
            self.pace.relapse()
            self.modules.relisten(self.backwards)
        return number

    def bury(self) -> None:
        """Tell the ledger what no longer exists."""
        dead, self.roster.dead = self.roster.dead, []
        for kind, number in dead:
            if kind == "optimizer":
                self.kept.forget(number)
                self.post(Dispose(None, optimizer=number))
            else:
                self.post(Dispose(None, parameters=frozenset({number})))

    # -- what happened by hand

    def settle(self, groups: list[Group], place: Source) -> None:
        """Explain what changed since the last look, as somebody's handwork."""
        if self._others_fill():
            return
        for change, group in self.roster.look(groups, at_all=self.pace.at_all):
            if change is not SAME or group.fresh or group.spent:
                for event in handwork(change, group, place, self.pace):
                    self.post(event)

    def absorb(self, groups: list[Group]) -> None:
        """Take what torch itself wrote as seen; whether a value is left is no longer known."""
        for change, group in self.roster.look(groups, at_all=self.pace.at_all):
            if change is not SAME:
                group.representative.was_zero = None

    def _others_fill(self) -> bool:
        """Whether another thread's backward is filling accounts that must not be compared."""
        return any(thread != get_ident() for thread in self.filling)

    # -- backward

    @_locked
    def backward_begins(
        self, roots: Any, gradients: Any, retain_graph: bool, create_graph: bool
    ) -> None:
        """Settle what happened by hand, and read the graph before it is freed."""
        thread = get_ident()
        depth = self.filling.get(thread, 0)
        if depth == 0:
            place = self.places[thread] = call_site(IN_BACKWARD)
            self.pace.next()
            self.bury()
            self._discover(roots, place)
            self.settle(self.roster.groups, place)
            self._read(roots, gradients)
            self._tracked = create_graph
            self._turn(place)
            self._reaches = self.retained.reached_from(roots)
            self._root = self.retained.retain(roots) if retain_graph else None
            self.kept.deposit(roots, place)
        self.filling[thread] = depth + 1

    def _discover(self, roots: Any, place: Source) -> None:
        # The graph is searched when a line is new, at doubling intervals, and when the last
        # backward went to tensors that nobody knows.
        times = self._sites[place] = self._sites.get(place, 0) + 1
        if self._reached_nobody:
            self.modules.relisten(self.backwards)
        if self._reached_nobody or times & (times - 1) == 0:
            self.roster.take_in(graph.leaves(roots))

    def _read(self, roots: Any, gradients: Any) -> None:
        if self.pace.at_all or self._scaled or self.steps.accumulating:
            self._weighted = graph.is_weighted(gradients)
            self._reading = graph.read_loss(roots[0])

    def _turn(self, place: Source) -> None:
        watched = self.pace.at_all or self.steps.accumulating
        if watched and not self.feeds.known and self.turns.epoch_begins(place):
            self.post(self.event(Epoch, place, None))

    @_locked
    def backward_ends(self, error: BaseException | None) -> None:
        """Post the deposit of the outermost backward."""
        thread = get_ident()
        depth = self.filling.pop(thread) - 1
        if depth:
            self.filling[thread] = depth
            return
        self.backwards += 1
        self.modules.count(self.backwards)
        found = self.roster.look(self.roster.groups, at_all=self.pace.at_all)
        deposited = [group for change, group in found if _is_deposit(change)]
        self._reached_nobody = not deposited
        self.deposit(deposited, self.places.pop(thread))
        del error  # a backward that raised has still deposited in part

    def deposit(self, groups: list[Group], place: Source) -> None:
        """Post one backward into these groups; one that reached nobody is a backward too."""
        feed, drawn = self.feeds.since_last_deposit()
        keys = groups[0].keys if len(groups) == 1 else frozenset().union(*(g.keys for g in groups))
        loss = self._reading
        # A root is one of a kind: an event that names one is not worth keeping.
        make = Backward if self._root or self._reaches else partial(self.event, Backward)
        self.post(
            make(
                place,
                keys,
                place,
                feed=feed,
                drawn=drawn,
                constants=loss.constants,
                reduction=loss.reduction,
                loop=self.reader.loop(place),
                scale=loss.scale,
                sixteen_bit=bool(groups) and _is_sixteen_bit(groups[0]),
                tracked=self._tracked,
                root=self._root,
                reaches=self._reaches,
            )
        )
        if self._weighted:
            self.post(self.event(Write, place, keys, Writing.RESCALE))
        for group in groups:
            self._remember(group)

    def _remember(self, group: Group) -> None:
        self.steps.accumulating = group.fresh
        group.fresh, group.spent = True, False
        group.next_turn()
        closely = self.pace.at_all or group.written or not group.owners
        group.representative.remember_deposit(closely=closely)

    # -- clears and clips

    @_locked
    def clear_begins(self, owner: Optimizer | Module) -> None:
        """Settle what happened by hand before it."""
        del owner
        self.settle(self.roster.groups, call_site(IN_CALL))

    @_locked
    def cleared(self, owner: Optimizer | Module, set_to_none: bool) -> None:
        """Post what a `zero_grad` took away."""
        del set_to_none
        place = call_site(IN_CALL)
        self.steps.contain()
        if hasattr(owner, "param_groups"):
            groups, by_name = self.roster.owned_by(self.enlist(owner, place)), False
        else:
            groups, by_name = self.roster.groups, True
        for change, group in self.roster.look(groups, at_all=self.pace.at_all):
            if change is VANISHED or (change is not SAME and group.representative.holds_zero()):
                self._clear(group, place, by_name=by_name)

    def _clear(self, group: Group, place: Source, *, by_name: bool) -> None:
        member = group.representative
        # Of a deposit that nobody looked at closely we cannot say that nothing used it.
        if group.fresh:
            self.pace.surprise(group)
            if member.value is None or member.was_written():
                self.post(self.event(Use, place, group.keys))
        self.post(self.event(Clear, place, group.keys, by_name=by_name))
        group.fresh = group.spent = False

    @_locked
    def clip_begins(self, parameters: list[Tensor], limit: Any) -> None:
        """Post a clip of what lies there now."""
        place = call_site(IN_CALL)
        self.settle(self.roster.groups, place)
        keys = self.roster.take_in(parameters)
        measures = isinstance(limit, (int, float)) and limit == float("inf")
        self.post(self.event(Clip, place, keys, measures=measures))

    @_locked
    def clip_ends(self, parameters: list[Tensor]) -> None:
        """Take the clip's own in-place writes as seen."""
        del parameters
        self.absorb(self.roster.groups)

    # -- steps, in `Steps`

    @_locked
    def step_begins(self, optimizer: Optimizer, has_closure: bool) -> None:
        """Hand over to the steps under way."""
        self.steps.begin(optimizer, call_site(IN_BACKWARD), has_closure=has_closure)

    @_locked
    def closure_evaluated(self, optimizer: Optimizer) -> None:
        """Tell the ledger that an evaluation returned."""
        place = call_site(IN_CALL)
        self.settle(self.roster.owned_by(self.roster.optimizers.of(optimizer)), place)
        self.post(self.event(Evaluated, place))

    def step_ends(self, optimizer: Optimizer) -> None:
        """Hand over to the steps under way; here a run may be ended early."""
        before = self.steps.count
        self._step_ends(optimizer)
        if self.steps.count > before:
            self.stepped(self.steps.count)

    @_locked
    def _step_ends(self, optimizer: Optimizer) -> None:
        self.steps.end(optimizer)

    # -- scaler and scheduler

    @_locked
    def loss_scaled(self, scaler: Any, scaled: Any) -> None:
        """Mark the loss, so that its deposit is known to carry the scale."""
        if scaler.is_enabled():
            self._scaled = True
            graph.mark_scale(scaled, graph.scale_of(scaler))

    @_locked
    def unscale_begins(self, scaler: Any, optimizer: Optimizer) -> None:
        """Post an unscale; one too many raises, so it is posted before."""
        if not scaler.is_enabled():
            return
        place = call_site(IN_CALL)
        number = self.enlist(optimizer, place)
        self.settle(self.roster.owned_by(number), place)
        self.post(self.event(Unscale, place, number, id(scaler)))

    @_locked
    def unscaled(self, scaler: Any, optimizer: Optimizer) -> None:
        """Take the unscaling's own in-place writes as seen."""
        del scaler, optimizer
        self.absorb(self.roster.groups)

    @_locked
    def scaler_step_begins(self, scaler: Any, optimizer: Optimizer) -> None:
        """Hand over to the steps under way."""
        self.steps.begin_scaled(scaler, optimizer, call_site(IN_CALL))

    @_locked
    def scaler_step_ends(self, scaler: Any, optimizer: Optimizer) -> None:
        """Hand over to the steps under way."""
        self.steps.end_scaled(scaler, optimizer)

    @_locked
    def scaler_updated(self, scaler: Any) -> None:
        """Post a scaler's update."""
        self.post(self.event(ScalerUpdate, call_site(IN_CALL), id(scaler)))

    @_locked
    def scheduler_stepped(self, scheduler: Any) -> None:
        """Post a scheduler's step, unless another scheduler or its construction made it."""
        place = call_site(IN_CALL)
        optimizer = getattr(scheduler, "optimizer", None)
        if optimizer is not None and self.roster.optimizers.knows(optimizer):
            number = self.roster.optimizers.of(optimizer)
            self.post(self.event(SchedulerStep, place, number))

    # -- what feeds

    @_locked
    def loader_started(self, loader: Any, iterator: Any) -> None:
        """Post that a loader starts again."""
        self.post(self.event(Epoch, call_site(IN_CALL), self.feeds.started(loader, iterator)))

    @_locked
    def batch_drawn(self, iterator: Any) -> None:
        """Remember that a batch was drawn."""
        self.feeds.drawn(iterator)


def _is_deposit(change: Change) -> bool:
    return change is not SAME and change is not VANISHED


def _is_sixteen_bit(group: Group) -> bool:
    gradient = group.representative.gradient
    tensor = gradient() if gradient is not None else None
    return tensor is not None and tensor.dtype.is_floating_point and tensor.dtype.itemsize == 2
