"""The part of the observer that knows of other ranks; asleep until the process has any."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec
from weakref import WeakKeyDictionary

from torch.nn.parallel import DistributedDataParallel

from zerograd import hooks
from zerograd.hooks import call_site
from zerograd.lifecycle import Fault, Severity, Witness
from zerograd.watch.ranks.by_hand import ByHand
from zerograd.watch.ranks.bypasses import Bypasses
from zerograd.watch.ranks.checksums import is_sampled
from zerograd.watch.ranks.shards import Shards
from zerograd.watch.ranks.shared import by_hand, by_wrapper
from zerograd.watch.ranks.wrappers import Wrappers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor
    from torch.nn import Module
    from torch.optim import Optimizer

    from zerograd.hooks import Source
    from zerograd.watch.observer import Observer
    from zerograd.watch.ranks.records import Records
    from zerograd.watch.ranks.wrappers import Wrapper

P = ParamSpec("P")

UNSHARED = ("never-synced", "wrapper-bypassed")
"""Known at the end: until then the program may reduce by hand what its wrappers did not."""

IN_HOOK = 3
"""Frames of torch's and ours between the user's line and a method here, at least."""


def _apart(
    method: Callable[Concatenate[Ranks, P], None],
) -> Callable[Concatenate[Ranks, P], None]:
    """Let one thread at a time speak, and keep our own mistakes out of the training."""

    @wraps(method)
    def alone(self: Ranks, /, *args: P.args, **kwargs: P.kwargs) -> None:
        with self._observer.clerk.lock:
            try:
                method(self, *args, **kwargs)
            except Exception as error:
                self._observer.fail(error)

    return alone


class Ranks:
    """Subscribed to what only programs of several ranks do."""

    def __init__(self, observer: Observer, records: Records | None) -> None:
        self._observer = observer
        self._records = records
        self._bypasses = Bypasses()
        self._shards = Shards()
        self._wrappers = Wrappers(observer.clerk.roster.parameters, observer.clerk.news)
        self._by_hand = ByHand()
        self._taken: WeakKeyDictionary[Optimizer, int] = WeakKeyDictionary()
        self._steps = _Steps(self, observer.steps.depth)
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
                yield _fault("wrapper-bypassed", wrapper.copy_call)

    def start(self) -> None:
        """Listen, to steps too if there was something to look at before."""
        hooks.subscribe(self)
        if self._is_awake:
            hooks.subscribe(self._steps)

    def stop(self) -> None:
        """Listen no more."""
        hooks.unsubscribe(self)
        hooks.unsubscribe(self._steps)

    @_apart
    def wrapped(self, module: Module) -> None:
        """Take in a DDP wrapper."""
        self._know(module)

    @_apart
    def wrapper_called(self, module: Module, prepared: bool) -> None:
        """Note a forward of a wrapper."""
        self._know(module).call(prepared=prepared)

    @_apart
    def sync_flagged(self, module: Module, flag: bool) -> None:
        """Note that reductions were turned on or off, and by which line."""
        place = call_site(IN_HOOK)
        if isinstance(module, DistributedDataParallel):
            self._know(module).flag(place, on=flag)
        else:
            self._awake()
            self._shards.flag(module, place, on=flag)

    @_apart
    def reduced_by_hand(self, tensors: list[Tensor], group: Any) -> None:
        """Note what the program reduces itself."""
        self._awake()
        self._by_hand.reduce(tensors, group)

    @_apart
    def group_added(self, optimizer: Optimizer) -> None:
        """Look for shards."""
        self._shards.expect(optimizer)

    @_apart
    def before_step(self, optimizer: Optimizer) -> None:
        """Look whether this rank is about to spend what all of them should."""
        step = self._taken[optimizer] = self._taken.get(optimizer, 0) + 1
        if step == 1:
            self._by_hand.know([p for group in optimizer.param_groups for p in group["params"]])
        due = self._records is not None and is_sampled(step)
        asked = bool(self._by_hand) and not self._by_hand.shares
        if due or asked or self._shards.flagged:
            self._look(optimizer, step, call_site(IN_HOOK), due=due)
        self._by_hand.forget()

    def _look(self, optimizer: Optimizer, step: int, place: Source, *, due: bool) -> None:
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        flag = self._shards.waiting(parameters) if self._shards.flagged else None
        if flag is not None:
            spent = Witness("spent here", place)
            self._observer.clerk.report(_fault("never-synced", flag, spent, step=step))
        reduced = self._by_hand.settle(parameters) if self._by_hand else []
        if due and self._records is not None:
            own = {id(parameter) for parameter in parameters}
            wrapped = (by_wrapper(wrapper, own) for wrapper in self._wrappers)
            shared = [one for one in wrapped if one is not None]
            self._records.take(step, place, shared or by_hand(reduced, parameters))

    @_apart
    def backward_failed(self) -> None:
        """Write down how far this rank came: it may have waited for one that ended."""
        if self._records is not None:
            self._records.write({"failed_backward": self._observer.deposits.count})

    def _know(self, module: Any) -> Wrapper:
        wrapper = self._wrappers.find(module)
        if wrapper is None:
            self._awake()
            wrapper = self._wrappers.add(module)
            self._bypasses.know(module, wrapper)
            self._observer.deposits.sync = self._wrappers.sync
            modules = self._observer.modules
            modules.begun, modules.ended = self._bypasses.begun, self._bypasses.ended
        return wrapper

    def _awake(self) -> None:
        if not self._is_awake:
            self._is_awake = True
            self._observer.answer_all()
            hooks.subscribe(self._steps)


class _Steps:
    """Hears of steps and failures, once there is something to look at."""

    def __init__(self, ranks: Ranks, depth: Callable[[], int]) -> None:
        self._ranks = ranks
        self._depth = depth

    def step_begins(self, optimizer: Optimizer, has_closure: bool) -> None:
        """Tell of a step, unless it is part of another one."""
        del has_closure
        if self._depth() == 1:
            self._ranks.before_step(optimizer)

    def backward_ends(self, error: BaseException | None) -> None:
        """Tell of a backward that failed."""
        if error is not None:
            self._ranks.backward_failed()


def _fault(rule: str, place: Source, *witnesses: Witness, step: int = 0) -> Fault:
    return Fault(rule=rule, severity=Severity.ERROR, place=place, witnesses=witnesses, step=step)
