"""Answer a `zero_grad` from cache: compare the line and the gradient before torch clears it.

That it was cleared shows at the next look, when a backward begins.
"""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING, Any
from weakref import ref

from zerograd.hooks import channels
from zerograd.hooks.program_modes import is_function_mode_on
from zerograd.watch.fast_path.observer_state import NOT_CLEARING

if TYPE_CHECKING:
    from zerograd.watch.fast_path.call_cache import CallCache


def around_clear(cache: CallCache, original: Any, otherwise: Any) -> Any:
    """Return a `zero_grad` that is answered for before it runs."""
    shortcut = channels.around_clear
    ours, trail = shortcut.listener, cache.trail
    # What was compared last, one variable each: see `one_group` on unpacking.
    known = to, move, subject, none, site, group = NOT_CLEARING
    height, code, at, over, code_above, at_above = site

    def zero_grad(owner: Any, set_to_none: bool = True) -> Any:
        nonlocal known, to, move, subject, none
        nonlocal height, code, at, over, code_above, at_above, group
        clear = otherwise
        try:
            state = cache.at
            if state.clearing is not known:
                pattern = state.clearing
                to, move, subject, none, site, group = pattern
                height, code, at, over, code_above, at_above = site
                known = pattern
            if (
                none is set_to_none
                and subject() is owner
                and (frame := _getframe(height)).f_lasti == at
                and frame.f_code is code
                and (above := _getframe(over)).f_lasti == at_above
                and above.f_code is code_above
                and not is_function_mode_on(None)
                and (parameter := (member := group.representative).parameter()) is not None
                and (gradient := parameter.grad) is not None
                and ref(gradient) is member.gradient  # else put there by hand
                and gradient._version == member.version  # noqa: SLF001  as in `GradientState.look`
                and shortcut.listener is ours
                and cache.at is state
            ):
                cache.at = to
                trail.append(move)
                cache.unseen = state
                clear = original
        except Exception as error:
            cache.doubt(error)
        return clear(owner, set_to_none)

    return zero_grad
