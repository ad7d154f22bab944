"""Observe what only programs of several ranks do; inactive until the process has other ranks."""

from __future__ import annotations

from functools import wraps
from itertools import count
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec
from weakref import WeakKeyDictionary

from torch.nn.parallel import DistributedDataParallel

from zerograd import hooks
from zerograd.hooks import call_site
from zerograd.lifecycle import Fault, Witness
from zerograd.lifecycle.verdicts.ranks import closing_alone
from zerograd.watch.gradients.sampling import SELDOM
from zerograd.watch.ranks.bypasses import Bypasses
from zerograd.watch.ranks.checksums import is_sampled, until_sampled
from zerograd.watch.ranks.manual_reductions import ByHand
from zerograd.watch.ranks.shards import Shards
from zerograd.watch.ranks.shared import by_hand, by_wrapper
from zerograd.watch.ranks.wrappers import Wrappers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor
    from torch.nn import Module
    from torch.optim import Optimizer

    from zerograd.source.lines import CallSite
    from zerograd.watch.fast_path.call_cache import CallCache
    from zerograd.watch.observe.observer import Observer
    from zerograd.watch.ranks.records import Records
    from zerograd.watch.ranks.shared import SharedParameters
    from zerograd.watch.ranks.wrappers import WatchedWrapper

P = ParamSpec("P")

UNSHARED = ("never-synced", "wrapper-bypassed")
"""Known at the end: until then the program may reduce by hand what its wrappers did not."""

IN_HOOK = 3
"""Frames of torch's and ours between the user's line and a method here, at least."""


def _apart(
    method: Callable[Concatenate[OtherRanks, P], None],
) -> Callable[Concatenate[OtherRanks, P], None]:
    """Let one thread at a time speak; `hooks` keeps our own mistakes out of the training."""

    @wraps(method)
    def alone(self: OtherRanks, /, *args: P.args, **kwargs: P.kwargs) -> None:
        with self._observer.poster.lock:
            method(self, *args, **kwargs)

    return alone


class OtherRanks:
    """Subscribed to what only programs of several ranks do."""

    def __init__(self, observer: Observer, cache: CallCache, records: Records | None) -> None:
        self._observer, self._cache = observer, cache
        self._records = records
        self._bypasses = Bypasses()
        self._shards = Shards()
        self._calls = observer.deposits.feeds.calls
        self._wrappers = Wrappers(
            observer.poster.registry.parameters, self._calls, observer.poster.news
        )
        self._called = self._wrappers.by_address
        self._by_hand = ByHand()
        self._taken: WeakKeyDictionary[Optimizer, int] = WeakKeyDictionary()
        self._reducing: WeakKeyDictionary[Optimizer, int] = WeakKeyDictionary()
        self._numbers = count()
        self._is_awake = False

    def explains(self, rule: str) -> bool:
        """Whether what looks like a fault of this rule is how this program shares its work."""
        if rule == "orphan-parameter":
            # FSDP2 makes whole parameters of its shards, for one backward: those are nobody's.
            return self._shards.exist
        return rule in UNSHARED and self._by_hand.shares

    def close(self) -> Iterator[Fault]:
        """Yield what only a whole run shows: a wrapper that never ran while a copy trained."""
        for wrapper in self._wrappers:
            if wrapper.many and not wrapper.ever_called and wrapper.copy_call is not None:
                yield _alone(wrapper.copy_call, bypassed=True)

    def start(self) -> None:
        """Listen."""
        hooks.subscribe(self, self._observer.fail)

    def stop(self) -> None:
        """Listen no more."""
        hooks.unsubscribe(self)

    @_apart
    def wrapped(self, module: Module) -> None:
        """Take in a DDP wrapper."""
        self._know(module)

    def wrapper_called(self, module: Module, prepared: bool) -> None:
        """Note a forward of a wrapper: one more frame in every step of a calm loop, and no lock."""
        wrapper = self._called.get(id(module))
        if wrapper is None or wrapper.module() is not module:
            self.wrapped(module)
            wrapper = self._called[id(module)]
        call = wrapper.calls[prepared]
        if call not in self._calls:
            wrapper.ever_called = True
            self._calls.append(call)

    @_apart
    def sync_flagged(self, module: Module, flag: bool) -> None:
        """Note that reductions were turned on or off, and by which line."""
        place = call_site(IN_HOOK)
        if isinstance(module, DistributedDataParallel):
            wrapper = self._know(module)
            self._wrappers.note_calls()
            wrapper.flag(place, on=flag)
        else:
            self._awake()
            self._shards.flag(module, place, on=flag)
        self._cache.reconsider()

    @_apart
    def reduced_by_hand(self, tensors: list[Tensor], group: Any) -> None:
        """Note what the program reduces itself."""
        self._awake()
        was_asked = bool(self._by_hand)
        self._by_hand.reduce(tensors, group)
        if self._by_hand and not was_asked:
            self._cache.reconsider()

    @_apart
    def group_added(self, optimizer: Optimizer) -> None:
        """Look for shards."""
        self._shards.expect(optimizer)

    def _before_step(self, optimizer: Optimizer) -> None:
        """Look whether this rank is about to spend what all of them should."""
        step = self._count(optimizer)
        if step == 1:
            self._by_hand.know([p for group in optimizer.param_groups for p in group["params"]])
        due = self._records is not None and is_sampled(step)
        asked = bool(self._by_hand) and not self._by_hand.shares
        if due or asked or self._shards.flagged:
            self._look(optimizer, step, call_site(IN_HOOK), due=due)
        self._by_hand.forget()

    def _count(self, optimizer: Optimizer) -> int:
        """Return the number of a step that begins."""
        step = self._taken[optimizer] = self._taken.get(optimizer, 0) + 1
        return step

    def _unasked(self) -> int:
        """Return how many steps from here nobody looks at: none unless every wrapper is calm."""
        if self._by_hand or self._shards.flagged or not self._wrappers.are_calm:
            return 0
        if self._records is None:
            return SELDOM
        return min((until_sampled(taken) for taken in self._taken.values()), default=0)

    def _look(self, optimizer: Optimizer, step: int, place: CallSite, *, due: bool) -> None:
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        flag = self._shards.waiting(parameters) if self._shards.flagged else None
        if flag is not None:
            spent = Witness("spent here", place)
            self._observer.poster.report(_alone(flag, spent, step=step))
        reduced = self._by_hand.settle(parameters) if self._by_hand else []
        if due and self._records is not None:
            own = {id(parameter) for parameter in parameters}
            wrapped = (by_wrapper(wrapper, own) for wrapper in self._wrappers)
            shared = [one for one in wrapped if one is not None]
            self._count_items(optimizer, step, shared)
            self._records.take(step, place, shared or self._reduced(optimizer, reduced, parameters))

    def _count_items(self, optimizer: Optimizer, step: int, shared: list[SharedParameters]) -> None:
        """Write down how many items this rank's part of the average is the mean of."""
        number = self._observer.poster.registry.optimizers.number(optimizer)
        closed = self._observer.deposits.items.closed.get(number)
        if closed is not None and self._records is not None:
            self._records.count(step, closed.source, closed.items, closed.share, shared)

    def _reduced(
        self, optimizer: Optimizer, reduced: list[tuple[Tensor, Any]], parameters: list[Tensor]
    ) -> Iterator[SharedParameters]:
        """Return what was reduced by hand; two models of one shape are told apart by their turn."""
        # To reduce is a collective: on every rank they come in the same order.
        if reduced and optimizer not in self._reducing:
            self._reducing[optimizer] = next(self._numbers)
        return by_hand(reduced, parameters, self._reducing.get(optimizer, 0))

    def _backward_failed(self) -> None:
        """Write down how far this rank came: it may have waited for one that ended."""
        if self._records is not None:
            self._records.write({"failed_backward": self._observer.deposits.count})

    def _know(self, module: Any) -> WatchedWrapper:
        wrapper = self._wrappers.find(module)
        if wrapper is None:
            self._awake()
            wrapper = self._wrappers.add(module)
            self._bypasses.know(module, wrapper)
            self._observer.deposits.sync = self._wrappers.sync
            modules = self._observer.modules
            modules.begun, modules.ended = self._bypasses.begun, self._bypasses.ended
            self._cache.reconsider()
        return wrapper

    def _awake(self) -> None:
        if not self._is_awake:
            self._is_awake = True
            observer, cache = self._observer, self._cache
            cache.catch_up()
            cache.unasked, observer.failed = self._unasked, self._backward_failed
            observer.steps.begun, observer.steps.passed = self._before_step, self._count
            cache.reconsider()


def _alone(place: CallSite, *witnesses: Witness, step: int = 0, bypassed: bool = False) -> Fault:
    """State deposits that this rank alone has spent."""
    verdict = closing_alone(closes_window=True, synced=False, written=False, bypassed=bypassed)
    assert verdict is not None
    return Fault.of(verdict, place, *witnesses, step=step)
