"""The arguments that each torch call passes to its channel: backward, clear, clip, scale, load."""

from __future__ import annotations

from functools import wraps
from threading import local
from typing import TYPE_CHECKING, Any

import torch

from zerograd.hooks import channels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from torch.optim import Optimizer

    from zerograd.hooks.channels import Shortcut

Wrapped = Any
"""A torch function and our wrapper around it have the same signature."""


def backward(original: Wrapped) -> Wrapped:
    """Wrap `torch.autograd._engine_run_backward`, which also serves `autograd.grad`."""
    begins, ends = channels.backward_begins, channels.backward_ends
    asked = channels.gradients_asked
    foreign_begins, foreign_ends = channels.foreign_backward_begins, channels.foreign_backward_ends

    @wraps(original)
    def run_backward(
        roots: Any, gradients: Any, retain_graph: Any, create_graph: Any, *args: Any, **kwargs: Any
    ) -> Any:
        if not kwargs.get("accumulate_grad"):
            if asked.callbacks:
                asked.tell(roots)
            return original(roots, gradients, retain_graph, create_graph, *args, **kwargs)
        begins.tell(roots, gradients, retain_graph, create_graph)
        if foreign_begins.callbacks:
            foreign_begins.tell()
        try:
            result = original(roots, gradients, retain_graph, create_graph, *args, **kwargs)
        except BaseException as error:
            foreign_ends.tell(error)
            ends.tell(error)
            raise
        if foreign_ends.callbacks:
            foreign_ends.tell(None)
        ends.tell(None)
        return result

    return _shortest(channels.around_backward, original, run_backward)


def zero_grad(original: Wrapped) -> Wrapped:
    """Wrap `Optimizer.zero_grad` and `Module.zero_grad`."""
    begins, cleared = channels.clear_begins, channels.cleared

    @wraps(original)
    def zero_grad(self: Any, set_to_none: bool = True) -> Any:
        begins.tell(self)
        result = original(self, set_to_none)
        cleared.tell(self, set_to_none)
        return result

    return _shortest(channels.around_clear, original, zero_grad)


def _shortest(shortcut: Shortcut, original: Wrapped, otherwise: Wrapped) -> Wrapped:
    """Return what the only listener puts around a call, or else what tells all of them."""
    if shortcut.only is None:
        return otherwise
    return wraps(original)(shortcut.only(original, otherwise))


def add_param_group(original: Wrapped) -> Wrapped:
    """Wrap `Optimizer.add_param_group`, which every construction goes through."""

    @wraps(original)
    def add_param_group(self: Optimizer, param_group: dict[str, Any]) -> Any:
        result = original(self, param_group)
        channels.group_added.tell(self)
        return result

    return add_param_group


_clipping = local()


def clip(original: Wrapped) -> Wrapped:
    """Wrap `clip_grad_norm_`, `clip_grad_value_` and `clip_grads_with_norm_`."""
    by_value = original.__name__ == "clip_grad_value_"

    @wraps(original)
    def clip(parameters: torch.Tensor | Iterable[torch.Tensor], *args: Any, **kwargs: Any) -> Any:
        if getattr(_clipping, "inside", False):  # the first of them calls the last
            return original(parameters, *args, **kwargs)
        # `model.parameters()` is a generator: it can be read once, so we read it for both.
        listed = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        limit = args[0] if args else kwargs.get("max_norm", kwargs.get("clip_value"))
        channels.clip_begins.tell(listed, limit, by_value)
        _clipping.inside = True
        try:
            result = original(listed, *args, **kwargs)
        finally:
            _clipping.inside = False
        channels.clip_ends.tell(listed)
        return result

    return clip


def scale(original: Wrapped) -> Wrapped:
    """Wrap `GradScaler.scale`."""

    @wraps(original)
    def scale(self: Any, outputs: Any) -> Any:
        scaled = original(self, outputs)
        channels.loss_scaled.tell(self, scaled)
        return scaled

    return scale


def unscale(original: Wrapped) -> Wrapped:
    """Wrap `GradScaler.unscale_`; `GradScaler.step` calls the inner `_unscale_grads_` instead."""

    @wraps(original)
    def unscale_(self: Any, optimizer: Optimizer) -> Any:
        channels.unscale_begins.tell(self, optimizer)
        result = original(self, optimizer)
        channels.unscaled.tell(self, optimizer)
        return result

    return unscale_


def scaler_step(original: Wrapped) -> Wrapped:
    """Wrap `GradScaler.step`, which may or may not step the optimizer."""

    @wraps(original)
    def step(self: Any, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
        channels.scaler_step_begins.tell(self, optimizer)
        try:
            return original(self, optimizer, *args, **kwargs)
        finally:
            channels.scaler_step_ends.tell(self, optimizer)

    return step


def scaler_update(original: Wrapped) -> Wrapped:
    """Wrap `GradScaler.update`."""

    @wraps(original)
    def update(self: Any, new_scale: Any = None) -> Any:
        channels.scaler_update_begins.tell(self, new_scale)
        result = original(self, new_scale)
        channels.scaler_updated.tell(self)
        return result

    return update


def scheduler_step(original: Wrapped) -> Wrapped:
    """Wrap what a scheduler does once a step."""

    @wraps(original)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(self, *args, **kwargs)
        channels.scheduler_stepped.tell(self)
        return result

    return step


def rates_asked(original: Wrapped) -> Wrapped:
    """Wrap the end of what asks a scheduler for its rates, where torch has no `_update_lr`."""

    @wraps(original)
    def __exit__(self: Any, *args: Any) -> Any:  # noqa: N807  the name it stands for
        result = original(self, *args)
        channels.scheduler_stepped.tell(self.o)
        return result

    return __exit__


def loader_iter(original: Wrapped) -> Wrapped:
    """Wrap `DataLoader.__iter__`."""

    @wraps(original)
    def __iter__(self: Any) -> Any:  # noqa: N807  the name it stands for
        iterator = original(self)
        channels.loader_started.tell(self, iterator)
        return iterator

    return __iter__


def loader_next(original: Wrapped) -> Wrapped:
    """Wrap the loaders' iterators' `__next__`."""

    @wraps(original)
    def __next__(self: Any) -> Any:  # noqa: N807  the name it stands for
        channels.batch_drawn.tell(self)
        return original(self)

    return __next__


def step_begins(optimizer: Optimizer, args: Any, kwargs: Any) -> tuple[Any, Any] | None:
    """Tell of a step, and put an ear into its closure."""
    closure = args[1] if len(args) > 1 else kwargs.get("closure")
    if closure is None:
        channels.step_begins.tell(optimizer, False)
        return None
    channels.step_begins.tell(optimizer, True)
    if not callable(closure):
        return None
    heard = _telling_closure(optimizer, closure)
    if len(args) > 1:
        return (args[0], heard, *args[2:]), kwargs
    return args, {**kwargs, "closure": heard}


def _telling_closure(optimizer: Optimizer, closure: Callable[[], Any]) -> Callable[[], Any]:
    @wraps(closure)
    def evaluate() -> Any:
        loss = closure()
        channels.closure_evaluated.tell(optimizer)
        return loss

    return evaluate


def before_step() -> Callable[..., Any]:
    """Return what torch is to call before a step: the only listener itself, if it can be."""
    return channels.before_step.only or step_begins


def after_step() -> Callable[..., Any]:
    """Return what torch is to call after a step."""
    return channels.after_step.only or step_ends


def step_ends(optimizer: Optimizer, args: Any, kwargs: Any) -> None:
    """Tell that a step returned."""
    del args, kwargs
    channels.step_ends.tell(optimizer)
