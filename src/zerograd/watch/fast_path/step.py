"""Answer both ends of a step from cache, as torch's hooks."""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING, Any
from weakref import ref

from zerograd.hooks import channels
from zerograd.hooks.call_wrappers import step_begins as tell_of_step
from zerograd.hooks.program_modes import is_function_mode_on
from zerograd.watch.fast_path.observer_state import NOT_STEPPING
from zerograd.watch.gradients.values import peek

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.optim import Optimizer

    from zerograd.watch.fast_path.call_cache import CallCache


def step_hooks(cache: CallCache) -> tuple[Callable[..., Any], Callable[..., None]]:
    """Return what answers for a step that begins, and for one that returned."""
    dead, trail = cache.dead, cache.trail
    # What was compared last, one variable each: see `one_group` on unpacking.
    known = to, subject, site, group, asks = NOT_STEPPING
    height, code, at, over, code_above, at_above = site

    def before_step(optimizer: Optimizer, args: Any, kwargs: Any) -> Any:
        nonlocal known, to, subject, group, asks, height, code, at, over, code_above, at_above
        try:
            state = cache.at
            if state.stepping is not known:
                pattern = state.stepping
                to, subject, site, group, asks = pattern
                height, code, at, over, code_above, at_above = site
                known = pattern
            if (
                subject() is optimizer
                and args == (optimizer,)  # a closure has to be heard
                and not (kwargs or dead)
                and (frame := _getframe(height)).f_lasti == at
                and frame.f_code is code
                and (above := _getframe(over)).f_lasti == at_above
                and above.f_code is code_above
                and not is_function_mode_on(None)
                and (parameter := (member := group.representative).parameter()) is not None
                and (gradient := parameter.grad) is not None
                and ref(gradient) is member.gradient
                and gradient._version == member.version  # noqa: SLF001  as in `GradientState.look`
                and (
                    not asks
                    or (
                        (spot := member.spot) is not None
                        and member.value is None  # not its turn to be looked at closely
                    )
                    or (
                        spot is not None
                        and (value := peek(spot, parameter, gradient)) is not None
                        and value == member.value
                    )
                    or member.keeps_its_deposit()
                )
                and cache.at is state
            ):
                cache.at = to
                return None
        except Exception as error:
            cache.doubt(error)
        return tell_of_step(optimizer, args, kwargs)

    def after_step(optimizer: Optimizer, args: Any, kwargs: Any) -> None:  # noqa: ARG001  as torch calls it
        if (move := cache.at.stopping) is not None:
            cache.at = move.to
            trail.append(move)
        else:
            channels.step_ends.tell(optimizer)

    return before_step, after_step
