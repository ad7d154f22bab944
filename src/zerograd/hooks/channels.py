"""The channels: one for each torch call that can be listened to.

A listener is any object with methods named like the channels; those it has are called, in the
order of subscription. A call without a listener is not patched at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable


class Channel:
    """One kind of torch call, and who wants to hear of it."""

    __slots__ = ("callbacks", "name", "tell")

    def __init__(self, name: str) -> None:
        self.name = name
        self.connect(())

    def connect(self, callbacks: tuple[Callable[..., None], ...]) -> None:
        """Call these from now on; an only listener is called without a detour."""
        # A tuple that is replaced, never changed: a callback may unsubscribe while it is called.
        self.callbacks = callbacks
        self.tell = callbacks[0] if len(callbacks) == 1 else self._tell_each

    def _tell_each(self, *what: Any) -> None:
        for callback in self.callbacks:
            callback(*what)


def hears_the_rest(listener: object) -> bool:
    """Whether a listener is told only of what the only other one does not answer by a shortcut."""
    return getattr(listener, "hears_the_rest", False)


class Shortcut:
    """A call of torch as a whole, which an only listener may answer in one frame.

    Amid torch's own work each frame in Python costs half a microsecond.
    """

    __slots__ = ("channels", "listener", "name", "only")

    def __init__(self, name: str, *channels: Channel) -> None:
        self.name = name
        self.channels = channels
        """Whoever listens to one of these has to hear of the call."""
        self.listener: Any = None
        """The only one, if so: what it put around a call asks whether it still is."""
        self.only: Callable[..., Any] | None = None
        """Its method of this name, if it has one."""

    def connect(self, listeners: list[Any]) -> None:
        """Find the only listener, beside those that hear the rest: what it does not answer."""
        hearing = [
            one
            for one in listeners
            if any(hasattr(one, channel.name) for channel in self.channels)
            and not hears_the_rest(one)
        ]
        self.listener = hearing[0] if len(hearing) == 1 else None
        self.only = getattr(self.listener, self.name, None)


group_added: Final = Channel("group_added")
"""(optimizer): built, or given another parameter group."""

backward_begins: Final = Channel("backward_begins")
"""(roots, gradients, retain_graph, create_graph): before a backward, or one nested in another."""

backward_ends: Final = Channel("backward_ends")
"""(error): after it; `error` is what it raised, or None."""

gradients_asked: Final = Channel("gradients_asked")
"""(roots): before `torch.autograd.grad`, which deposits nothing."""

foreign_backward_begins: Final = Channel("foreign_backward_begins")
"""(): as above, unless it is an engine's own: see `own_backward`."""

foreign_backward_ends: Final = Channel("foreign_backward_ends")
"""(error): after it."""

step_begins: Final = Channel("step_begins")
"""(optimizer, has_closure)"""

closure_evaluated: Final = Channel("closure_evaluated")
"""(optimizer): an evaluation of the step's closure returned."""

step_ends: Final = Channel("step_ends")
"""(optimizer)"""

clear_begins: Final = Channel("clear_begins")
"""(owner): an optimizer's or a module's `zero_grad` is about to run."""

cleared: Final = Channel("cleared")
"""(owner, set_to_none): an optimizer's or a module's `zero_grad` returned."""

clip_begins: Final = Channel("clip_begins")
"""(parameters, limit, by_value): before `clip_grad_norm_` or `clip_grad_value_`, with a list."""

clip_ends: Final = Channel("clip_ends")
"""(parameters)"""

loss_scaled: Final = Channel("loss_scaled")
"""(scaler, scaled): what `scaler.scale` returned."""

unscale_begins: Final = Channel("unscale_begins")
"""(scaler, optimizer): before `scaler.unscale_`, which may refuse."""

unscaled: Final = Channel("unscaled")
"""(scaler, optimizer): after `scaler.unscale_`."""

scaler_step_begins: Final = Channel("scaler_step_begins")
"""(scaler, optimizer)"""

scaler_step_ends: Final = Channel("scaler_step_ends")
"""(scaler, optimizer)"""

scaler_update_begins: Final = Channel("scaler_update_begins")
"""(scaler, new_scale): before `scaler.update`; `new_scale` is what it was given, or None."""

scaler_updated: Final = Channel("scaler_updated")
"""(scaler)"""

scheduler_stepped: Final = Channel("scheduler_stepped")
"""(scheduler): by the user, not by its own construction or by another scheduler."""

loader_started: Final = Channel("loader_started")
"""(loader, iterator): `iter(loader)`."""

batch_drawn: Final = Channel("batch_drawn")
"""(iterator): the next batch of a loader is about to be drawn."""

wrapped: Final = Channel("wrapped")
"""(wrapper): a DistributedDataParallel was built or copied."""

wrapper_called: Final = Channel("wrapper_called")
"""(wrapper, prepared): its forward returned, with gradients on; `prepared` to reduce them."""

sync_flagged: Final = Channel("sync_flagged")
"""(module, flag): reductions were turned on or off, for a DDP wrapper or an FSDP2 module."""

reduced_by_hand: Final = Channel("reduced_by_hand")
"""(tensors, group): the program is about to reduce these over the ranks itself."""

around_clear: Final = Shortcut("around_clear", clear_begins, cleared)
"""(original, otherwise): returns what is to be called instead of torch's `zero_grad`; whatever it
does not know, and all when it is no longer the only listener, goes to `otherwise`."""

around_backward: Final = Shortcut(
    "around_backward",
    *(backward_begins, backward_ends, foreign_backward_begins, foreign_backward_ends),
)
"""(original, otherwise): the same for the engine's backward."""

before_step: Final = Shortcut("before_step", step_begins, closure_evaluated)
"""(optimizer, args, kwargs): torch's own hook."""

after_step: Final = Shortcut("after_step", step_ends)
"""(optimizer, args, kwargs): torch's own hook."""

SHORTCUTS: Final = (around_clear, around_backward, before_step, after_step)

CHANNELS: Final = (
    group_added,
    backward_begins,
    backward_ends,
    gradients_asked,
    foreign_backward_begins,
    foreign_backward_ends,
    step_begins,
    closure_evaluated,
    step_ends,
    clear_begins,
    cleared,
    clip_begins,
    clip_ends,
    loss_scaled,
    unscale_begins,
    unscaled,
    scaler_step_begins,
    scaler_step_ends,
    scaler_update_begins,
    scaler_updated,
    scheduler_stepped,
    loader_started,
    batch_drawn,
    wrapped,
    wrapper_called,
    sync_flagged,
    reduced_by_hand,
)
