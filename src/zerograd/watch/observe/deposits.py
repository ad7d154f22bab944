"""Observe each backward: what its loss shows beforehand, and which accounts it deposits into."""

from __future__ import annotations

from threading import get_ident
from typing import TYPE_CHECKING, Any

from zerograd.hooks.own_backward import is_an_engines_own
from zerograd.hooks.program_modes import has_values
from zerograd.hooks.saved_values import is_profiling
from zerograd.lifecycle import Backward, Clear, Epoch, Unfreeze, Use, Write, Writing
from zerograd.record import record, replace
from zerograd.watch.damage.items_in_loss import read_terms
from zerograd.watch.gradients.groups import SAME, VANISHED
from zerograd.watch.gradients.recently_used import RecentlyUsed
from zerograd.watch.gradients.values import sample
from zerograd.watch.observe import loss_graph as graph
from zerograd.watch.observe.data_feeds import DataFeeds
from zerograd.watch.observe.epoch_detection import EpochDetection
from zerograd.watch.observe.loss_roots import Retained
from zerograd.watch.observe.unequal_items import ItemWindows
from zerograd.watch.observe.weight_averages import WeightAverages
from zerograd.watch.ranks.sync import alone

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from zerograd.source.lines import CallSite
    from zerograd.watch.damage.items_in_loss import Terms
    from zerograd.watch.gradients.groups import GradientGroup
    from zerograd.watch.gradients.values import Sample
    from zerograd.watch.observe.event_poster import EventPoster
    from zerograd.watch.ranks.sync import Sync


@record()
class Marks:
    """What is known of a backward under way from the roots that it was called on."""

    tracked: bool = False
    """It makes a graph of its own."""

    root: int | None = None
    """The root's number, where its graph is retained."""

    reaches: tuple[int, ...] = ()
    """The earlier roots that are part of this one."""

    @property
    def names_a_root(self) -> bool:
        """Whether its event can be posted only once: a root is one of a kind."""
        return self.root is not None or bool(self.reaches)

    @property
    def is_plain(self) -> bool:
        """Whether the next backward of the same line can be like it."""
        return not (self.tracked or self.names_a_root)


class DepositObserver:
    """One backward at a time in each thread; nested ones belong to the outermost."""

    def __init__(self, poster: EventPoster) -> None:
        self.poster = poster
        self.feeds = DataFeeds()
        self.count = 0
        """Outermost backwards so far."""
        self.last: CallSite | None = None
        """The line of the last backward."""
        self.accumulating = False
        """A deposit fell on a fresh one: windows are longer than one backward."""
        self.scaled = False
        """A scaler is in use."""
        self.unspent = True
        """Nobody has stepped yet: whether anybody ever uses what is deposited is still open."""
        self.retained = Retained()
        self._turns = EpochDetection()
        self._places: dict[int, CallSite] = {}
        """Where the backwards under way were called, by thread."""
        self._sites: dict[tuple[int, CallSite], tuple[int, int, frozenset[int]]] = {}
        """When each line of each thread first ran a backward, when its graph is to be searched
        again, and into which parameters it goes."""
        self._losses: dict[tuple[int, CallSite], graph.Loss] = {}
        """What each line's loss was when it was last read, by thread."""
        self.readings = 0
        """Counts how often a line's loss was found to be another."""
        self.items = ItemWindows()
        self.averages = WeightAverages()
        self.steps: Callable[[], int] = _none
        """Asked how many steps were made."""
        self._terms: dict[int, Terms] = {}
        """The terms of the losses whose backwards are under way, by thread."""
        self._marks: dict[int, Marks] = {}
        """What is known of the backwards under way, by thread."""
        self._known: RecentlyUsed[Hashable, Backward] = RecentlyUsed()
        """The same event object for the same deposit: the ledger compares events by identity."""
        self.sync: Callable[[frozenset[int]], Sync] = alone
        """Asked what becomes of a deposit between the ranks."""
        self.reached_nobody = False
        """The last backward moved no account that we know: there must be others."""
        self._searched: set[int] = set()
        """The threads whose backward under way had its graph searched."""
        self._values: list[tuple[GradientGroup, Sample | None]] = []
        """What such a backward was to reach, with a few values from before it."""

    def spending_begins(self) -> None:
        """Note a step: from the first on, one member of a group remembers for all."""
        if self.unspent:
            self.unspent = False
            for group in self.poster.registry.groups:
                for member in group.members:
                    if member is not group.representative:
                        member.remember_deposit(closely=False)

    def nest(self) -> bool:
        """Note a backward that begins; return whether it is the outermost of its thread."""
        thread = get_ident()
        depth = self.poster.filling.get(thread, 0)
        self.poster.filling[thread] = depth + 1
        return depth == 0

    def unnest(self) -> bool:
        """Note a backward that ended; return whether it was the outermost of its thread."""
        thread = get_ident()
        depth = self.poster.filling.pop(thread) - 1
        if depth:
            self.poster.filling[thread] = depth
        return depth == 0

    def under_way(self, thread: int) -> CallSite | None:
        """Return where this thread's backward was called, if it is alone, plain and not nested."""
        marks = self._marks.get(thread)
        plain = marks is not None and marks.is_plain and self.poster.filling == {thread: 1}
        return self._places.get(thread) if plain else None

    def suspend(self, thread: int) -> None:
        """Drop the backward in progress; `resume` restores it."""
        del self.poster.filling[thread], self._places[thread]

    def resume(self, thread: int, place: CallSite) -> None:
        """Mind the backward under way again."""
        self.poster.filling[thread] = 1
        self.poster.reached[thread] = self._sites[thread, place][2]
        self._places[thread] = place
        self._marks[thread] = Marks()  # only a plain backward is minded by somebody else

    def begin(self, roots: Any, gradients: Any, place: CallSite) -> None:
        """Settle what happened by hand, and read the graph before it is freed."""
        poster, thread = self.poster, get_ident()
        self._places[thread] = place
        all_were_read = poster.sampling.at_all
        poster.sampling.next(self.count + 1)
        poster.bury()
        self._discover(roots, place)
        poster.settle(poster.near(self._reached), place)
        if all_were_read and not poster.sampling.at_all:
            for group in poster.near(self._reached):
                group.forget_old_readings()
        self._values = self._read_values() if self.reached_nobody else []
        known = self._losses.get((thread, place))
        if poster.sampling.at_all or self.scaled or self.accumulating or known is None:
            loss = _read(roots[0], gradients)
            if loss != known:
                self._losses[thread, place] = loss
                self.readings += 1
            self._turn(place)
        looks = not is_profiling()
        if looks:
            self._follow_averages(place)
        # To read a count waits for the device that has it: only some windows are counted.
        looks = looks and (poster.kept.asking or poster.damages.needs_terms)
        self._terms[thread] = poster.damages.terms = _read_terms(roots, gradients) if looks else ()
        poster.damages.before_deposit(poster.near(self._reached))

    def mark(self, roots: Any, place: CallSite, *, retain_graph: bool, create_graph: bool) -> None:
        """Leave marks in the graph, for the losses that it may become part of."""
        reaches = self.retained.reached_from(roots)
        root = self.retained.retain(roots) if retain_graph else None
        self._marks[get_ident()] = Marks(create_graph, root, reaches)
        self.poster.kept.deposit(roots, place, self.count)

    def _discover(self, roots: Any, place: CallSite) -> None:
        # The graph is searched when a line is new, at doubling intervals, and when the last
        # backward went to tensors that are not registered.
        thread, now = get_ident(), self.count + 1
        first, again, keys = self._sites.get((thread, place), (now, now, frozenset()))
        if self.reached_nobody:
            self.poster.news()
        self._searched.discard(thread)
        if self.reached_nobody or now >= again:
            keys = self.poster.registry.take_in(graph.leaves(roots))
            self._sites[thread, place] = first, now + max(1, now - first), keys
            self._searched.add(thread)
        self.poster.reached[thread] = keys

    def _reached(self) -> frozenset[int]:
        return self.poster.reached[get_ident()]

    def _turn(self, place: CallSite) -> None:
        if not self.feeds.known and self._turns.epoch_begins(place):
            self.poster.post(self.poster.event(Epoch, place, None))

    def end(self) -> None:
        """Post the deposit of the outermost backward."""
        self.count += 1
        deposited = self._moved(self.poster.near(self._reached))
        self.reached_nobody = not deposited
        place = self.last = self._places.pop(get_ident())
        spent = [] if deposited else [one for one, value in self._values if _moved(one, value)]
        self._post(deposited or spent, place)
        for group in spent:
            self._spend_inside(group, place)

    def _read_values(self) -> list[tuple[GradientGroup, Sample | None]]:
        """Read a few values of the parameters that a backward is to reach."""
        keys = self._reached()
        near = self.poster.near(self._reached)
        return [(group, _value_of(group)) for group in near if not keys.isdisjoint(group.keys)]

    def _spend_inside(self, group: GradientGroup, place: CallSite) -> None:
        """Post what hooks did with a deposit during its backward, as LOMO's: used, and gone."""
        for kind in (Use, Clear):
            self.poster.post(self.poster.event(kind, place, group.keys))
        group.fresh = group.spent = False

    def end_in_part(self, groups: list[GradientGroup]) -> None:
        """Post what a backward under way has deposited: a step runs in one of its hooks."""
        self._post(self._moved(groups, at_all=True), self._places[get_ident()])

    def _moved(self, groups: list[GradientGroup], *, at_all: bool = False) -> list[GradientGroup]:
        # A graph that was searched may leave out whoever was to be looked at for all.
        apart = get_ident() in self._searched
        apart = apart or any(group.is_apart(self._reached()) for group in groups)
        found = self.poster.look(groups, at_all=at_all or apart)
        if apart:
            self._leave_out([group for change, group in found if change is VANISHED])
        return [group for change, group in found if change is not SAME and change is not VANISHED]

    def _leave_out(self, groups: list[GradientGroup]) -> None:
        """Take back what was said of those that backward no longer fills: the others said it."""
        place = self._places[get_ident()]
        for group in groups:
            if group.fresh or group.spent:
                self.poster.post(self.poster.event(Use, place, group.keys))
                self.poster.post(self.poster.event(Clear, place, group.keys))
                group.fresh = group.spent = False

    def _post(self, groups: list[GradientGroup], place: CallSite) -> None:
        """Post one backward into these groups; one that reached nobody is a backward too."""
        poster = self.poster
        keys = groups[0].keys if len(groups) == 1 else frozenset().union(*(g.keys for g in groups))
        loss, marks = self._losses[get_ident(), place], self._marks[get_ident()]
        what = (place, keys, *self.feeds.since_last_deposit(), loss, self.sync(keys), marks.tracked)
        event = None if marks.names_a_root else self._known.get(what)
        if event is None:
            event = self._event(groups, *what[:-1], marks)
            if not marks.names_a_root:
                self._known[what] = event
        poster.post(event)
        if poster.registry.frozen and (thawed := keys & poster.registry.frozen):
            poster.registry.frozen -= thawed
            poster.post(Unfreeze(place, frozenset(thawed)))
        if loss.weighted:
            poster.post(poster.event(Write, place, keys, Writing.RESCALE, in_loss=True))
        self._count_items(groups, place, reduced=event.synced is not None)
        is_owned = any(group.owners for group in groups)
        for group in groups:
            group.beside = group.beside + 1 if is_owned and not group.owners else 0
            self._remember(group)

    def _follow_averages(self, place: CallSite) -> None:
        groups = self.poster.near(self._reached)
        self.averages.deposit({number for group in groups for number in group.owners}, place)

    def _count_items(self, groups: list[GradientGroup], place: CallSite, *, reduced: bool) -> None:
        owners = {number for group in groups for number in group.owners}
        terms = self._terms.get(get_ident(), ())
        self.items.deposit(owners, place, terms, self.steps(), reduced=reduced)

    def _event(
        self,
        groups: list[GradientGroup],
        place: CallSite,
        keys: frozenset[int],
        feed: Hashable,
        draws: int,
        loss: graph.Loss,
        sync: Sync,
        marks: Marks,
    ) -> Backward:
        return Backward(
            place,
            keys,
            place,
            feed=feed,
            drawn=draws,
            constants=loss.constants,
            over_a_sum=loss.terms > 1,
            mean_of=loss.terms if loss.averaged else None,
            reduction=loss.reduction,
            loop=self.poster.reader.loop(place),
            scale=loss.scale,
            synced=sync.synced,
            sync_place=sync.place,
            bypass=sync.bypass,
            sixteen_bit=bool(groups) and _is_sixteen_bit(groups[0]),
            tracked=marks.tracked,
            from_leaf=loss.is_leaf,
            root=marks.root,
            reaches=marks.reaches,
        )

    def _remember(self, group: GradientGroup) -> None:
        self.accumulating |= group.fresh
        group.fresh, group.spent = True, False
        group.next_turn()
        closely = self.poster.sampling.at_all or self.unspent or group.closely
        # As long as nobody steps, a group may still fall apart, and each part has to answer.
        for member in group.members if self.unspent else (group.representative,):
            member.remember_deposit(closely=closely)
        self.poster.read([group])


def _read(root: Any, gradients: Any) -> graph.Loss:
    """Read a loss, and whether its backward weighs it: `loss.backward(torch.tensor(1 / k))`."""
    loss = graph.read_loss(root)
    weighted = loss.weighted or is_an_engines_own() or graph.is_weighted(gradients)
    return replace(loss, weighted=True) if weighted else loss


def _value_of(group: GradientGroup) -> Sample | None:
    """Return a few values of a group's parameter, if they can be read."""
    parameter = group.members[0].parameter()
    return None if parameter is None else sample(parameter)


def _moved(group: GradientGroup, value: Sample | None) -> bool:
    """Whether a group's parameter has changed since these values were read."""
    return value is not None and _value_of(group) != value


def _read_terms(roots: Any, gradients: Any) -> Terms:
    """Read how many items a loss is the mean of; an engine weighs its micro-batches itself."""
    if len(roots) != 1 or is_an_engines_own():
        return ()
    given = next((one for one in gradients if one is not None), None)
    if given is not None and not (given.numel() == 1 and given.is_cpu and has_values(given)):
        return ()  # reading it elsewhere would wait for the device
    weight = 1.0 if given is None else float(given)
    return read_terms(roots[0], graph.is_scale, weight=weight)


def _none() -> int:
    """Answer for an observer without steps."""
    return 0


def _is_sixteen_bit(group: GradientGroup) -> bool:
    gradient = group.representative.gradient
    tensor = gradient() if gradient is not None else None
    return tensor is not None and tensor.dtype.is_floating_point and tensor.dtype.itemsize == 2
