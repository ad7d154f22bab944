"""Receive torch's calls and pass each to the part of the observer that handles it."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

from zerograd.hooks import call_site, construction_site
from zerograd.lifecycle import Epoch, Evaluated, ScalerUpdate, SchedulerStep
from zerograd.watch.observe import loss_graph as graph
from zerograd.watch.observe.clears import parameters_of, post_clear, post_clip, post_unscale
from zerograd.watch.observe.deposits import DepositObserver
from zerograd.watch.observe.event_poster import EventPoster
from zerograd.watch.observe.kept_evaluations import KeptEvaluations
from zerograd.watch.observe.module_calls import ModuleCalls
from zerograd.watch.observe.schedules import Schedules
from zerograd.watch.observe.steps import Steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor
    from torch.nn import Module
    from torch.optim import Optimizer

    from zerograd.lifecycle import Event, Fault
    from zerograd.source.loops import Reader
    from zerograd.watch.gradients.groups import GradientGroup

P = ParamSpec("P")

# How many of torch's own frames lie between our method and the user's line.
IN_BACKWARD = 4
IN_CALL = 3


def _locked(
    method: Callable[Concatenate[Observer, P], None],
) -> Callable[Concatenate[Observer, P], None]:
    """Let one thread at a time speak; `hooks` keeps our own mistakes out of the training."""

    @wraps(method)
    def alone(self: Observer, /, *args: P.args, **kwargs: P.kwargs) -> None:
        with self.poster.lock:
            self.before_answer()
            method(self, *args, **kwargs)
            self.after_answer()

    return alone


class Observer:
    """Subscribed to `zerograd.hooks`: a method here is a channel there."""

    def __init__(
        self,
        post: Callable[[Event], None],
        reader: Reader,
        *,
        report: Callable[[Fault], None],
        fail: Callable[[Exception], None],
        stepped: Callable[[int], None],
    ) -> None:
        self.fail = fail
        """Told of a mistake of ours."""
        self.stepped = stepped
        """Told of the outermost steps 1, 2, 4, 8, ..., or of the next that is looked at."""
        self.is_due: Callable[[], bool] = _never
        """Asked after each step whether somebody wants to be told of it."""
        self.failed: Callable[[], None] = _nobody_asks
        """Told that a backward raised."""
        self.before_answer: Callable[[], None] = _nobody_asks
        """Called before each answer: a cache restores the state that the observer would have."""
        self.after_answer: Callable[[], None] = _nobody_asks
        """Called after each answer: a cache takes note of the state that followed."""
        self._told = 0
        self.poster = EventPoster(post, report, reader)
        self._scheduled: object = None
        """The last scheduler's step: its line, its optimizer, and how far the run was."""
        self._schedules = Schedules()
        self.deposits = DepositObserver(self.poster)
        self.steps = Steps(self.poster, self.deposits)
        self.modules = ModuleCalls(self.poster, fail)
        self.evaluations = KeptEvaluations(self.modules, self._previewed)
        self.poster.news = lambda: self.modules.relisten(self.deposits.count)

    @_locked
    def group_added(self, optimizer: Optimizer) -> None:
        """Take in an optimizer that is being built, or what was added to it."""
        self.poster.enlist(optimizer, construction_site(optimizer, IN_CALL))

    # -- backward

    @_locked
    def backward_begins(
        self, roots: Any, gradients: Any, retain_graph: bool, create_graph: bool
    ) -> None:
        """Settle what happened by hand, and read the graph before it is freed."""
        if self.deposits.nest():
            place = call_site(IN_BACKWARD)
            self.deposits.begin(roots, gradients, place)
            self.deposits.mark(roots, place, retain_graph=retain_graph, create_graph=create_graph)
            fault = self.evaluations.deposit(roots)
            if fault is not None:
                self.poster.report(fault)

    @_locked
    def backward_ends(self, error: BaseException | None) -> None:
        """Post the deposit of the outermost backward; one that raised has deposited in part."""
        if self.deposits.unnest():
            self.deposits.end()
            self.modules.count(self.deposits.count)
        if error is not None:
            self.failed()

    @_locked
    def settle_last(self) -> None:
        """Settle what happened by hand after the last call of torch, at the end of a run."""
        if self.deposits.last is not None:
            self.poster.settle(self.poster.registry.groups, self.deposits.last)

    # -- clears and clips

    @_locked
    def clear_begins(self, owner: Optimizer | Module) -> None:
        """Settle what happened by hand before it."""
        self.poster.glance(self._near(owner), call_site(IN_CALL))

    @_locked
    def cleared(self, owner: Optimizer | Module, set_to_none: bool) -> None:
        """Post what a `zero_grad` took away."""
        del set_to_none
        self.steps.contain()
        post_clear(self.poster, owner, call_site(IN_CALL))

    @_locked
    def clip_begins(self, parameters: list[Tensor], limit: Any, by_value: bool) -> None:
        """Post a clip of what lies there now."""
        place, evaluating = call_site(IN_CALL), self.steps.evaluating
        post_clip(self.poster, parameters, limit, place, by_value=by_value, evaluating=evaluating)

    @_locked
    def clip_ends(self, parameters: list[Tensor]) -> None:
        """Take the clip's own in-place writes as seen."""
        self.poster.absorb(self.poster.near(lambda: self.poster.registry.take_in(parameters)))

    def _near(self, owner: Optimizer | Module) -> list[GradientGroup]:
        return self.poster.near(lambda: self.poster.registry.take_in(parameters_of(owner)))

    # -- steps

    @_locked
    def step_begins(self, optimizer: Optimizer, has_closure: bool) -> None:
        """Hand over to the steps under way."""
        self.steps.begin(optimizer, call_site(IN_BACKWARD), has_closure=has_closure)

    @_locked
    def closure_evaluated(self, optimizer: Optimizer) -> None:
        """Tell the ledger that an evaluation returned."""
        place, registry = call_site(IN_CALL), self.poster.registry
        number = registry.optimizers.of(optimizer)
        groups = registry.owned_by(number)
        self.poster.settle(groups, place)
        self.steps.close_window(optimizer, number, place)
        left_nothing = not any(group.representative.gradient for group in groups)
        self.poster.post(self.poster.event(Evaluated, place, left_nothing))

    def step_ends(self, optimizer: Optimizer) -> None:
        """Hand over to the steps under way; here a run may be ended early."""
        self._step_ends(optimizer)
        count = self.steps.count
        if count.bit_length() > self._told or self.is_due():
            self._told = count.bit_length()
            self.stepped(count)

    @_locked
    def _step_ends(self, optimizer: Optimizer) -> None:
        self.steps.end(optimizer)

    # -- scaler and scheduler

    @_locked
    def loss_scaled(self, scaler: Any, scaled: Any) -> None:
        """Mark the loss, so that its deposit is known to carry the scale."""
        if scaler.is_enabled():
            self.deposits.scaled = True
            graph.mark_scale(scaled, graph.scale_of(scaler))

    @_locked
    def unscale_begins(self, scaler: Any, optimizer: Optimizer) -> None:
        """Post an unscale; one too many raises, so it is posted before."""
        if scaler.is_enabled():
            post_unscale(self.poster, scaler, optimizer, call_site(IN_CALL))

    @_locked
    def unscaled(self, scaler: Any, optimizer: Optimizer) -> None:
        """Take the unscaling's own in-place writes as seen."""
        del scaler
        self.poster.absorb(self._near(optimizer))

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
        self.poster.post(self.poster.event(ScalerUpdate, call_site(IN_CALL), id(scaler)))

    @_locked
    def scheduler_stepped(self, scheduler: Any) -> None:
        """Post a scheduler's step, if it is one of an optimizer that we know.

        Several schedulers that advance together, chained or in a loop, are one step.
        """
        place, optimizers = call_site(IN_CALL), self.poster.registry.optimizers
        number = optimizers.number(getattr(scheduler, "optimizer", None))
        now = (place, number, self.deposits.count, self.steps.count)
        if number is not None and now != self._scheduled:
            self._scheduled = now
            planned = self._schedules.is_planned(scheduler, self.deposits.feeds, place)
            self.poster.post(self.poster.event(SchedulerStep, place, number, planned=planned))

    # -- what feeds

    @_locked
    def loader_started(self, loader: Any, iterator: Any) -> None:
        """Post that a loader starts again."""
        number = self.deposits.feeds.started(loader, iterator)
        self.poster.post(self.poster.event(Epoch, call_site(IN_CALL), number))

    @_locked
    def batch_drawn(self, iterator: Any) -> None:
        """Remember that a batch was drawn, and follow a pass that deposits nothing."""
        self.deposits.feeds.drawn(iterator)
        self.evaluations.drawn(self.deposits.feeds.draws)

    def _previewed(self, module: Module) -> None:
        """Note a forward without gradients of a module that is trained, between two batches.

        Feature caches do that: each micro-batch's loss is then one over the whole window.
        """
        if self.poster.registry.trains(module):
            self.deposits.feeds.served()


def _nobody_asks() -> None:
    """Do nothing."""


def _never() -> bool:
    """Answer for a run that nobody looks at."""
    return False
