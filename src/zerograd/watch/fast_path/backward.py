"""Answer a backward from cache: compare the gradients before it and after it in one frame."""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING, Any
from weakref import ref

from zerograd.hooks import channels
from zerograd.hooks.program_modes import is_function_mode_on
from zerograd.rules.allowance import innermost
from zerograd.watch.gradients.values import is_zero, peek

if TYPE_CHECKING:
    from zerograd.watch.fast_path.call_cache import CallCache

CLOSELY = 13
"""At every so many deposits the values are read too. Odd, so that each parameter has its turn."""


def around_backward(cache: CallCache, original: Any, otherwise: Any) -> Any:  # noqa: C901  flat: see `listener`
    """Return a backward that is answered for before and after it runs."""
    shortcut = channels.around_backward
    ours = shortcut.listener
    # Asked of the observer by way of its channels, which guard the program from our mistakes.
    begins, ends = channels.backward_begins, channels.backward_ends

    # The engine's signature: passing on `*args` and `**kwargs` costs a microsecond.
    def run_backward(  # noqa: C901  flat: see `listener`
        roots: Any,
        gradients: Any,
        retain_graph: bool,
        create_graph: bool,
        inputs: Any = (),
        allow_unreachable: bool = False,
        accumulate_grad: bool = False,
        **more: Any,
    ) -> Any:
        if more or not accumulate_grad or shortcut.listener is not ours:
            return otherwise(
                *(roots, gradients, retain_graph, create_graph, inputs),
                allow_unreachable=allow_unreachable,
                accumulate_grad=accumulate_grad,
                **more,  # of another torch: passed on, and answered as every call is
            )
        begun = False
        try:
            state = cache.at
            if (pattern := state.beginning) is not None and not is_function_mode_on(None):
                move, context, site, group, held, touched = pattern
                height, code, at, above, code_above, at_above = site
                if (
                    cache.left > 0
                    and not (retain_graph or create_graph or cache.dead)
                    and (frame := _getframe(height)).f_lasti == at
                    and frame.f_code is code
                    and (
                        above == height
                        or (
                            (frame := _getframe(above)).f_lasti == at_above
                            and frame.f_code is code_above
                        )
                    )
                    and innermost.get() is context
                    and (parameter := (member := group.representative).parameter()) is not None
                ):
                    gradient, seen = parameter.grad, member.gradient
                    if gradient is None:
                        looked = cache.unseen is not None or (seen is None) is move.empty
                        begun = looked and not held
                    elif held and seen is not None and cache.unseen is None:
                        pane = member.pane
                        begun = (
                            gradient is seen()
                            and (gradient._version != member.version) is touched  # noqa: SLF001
                            and (
                                not pane[1].value & pane[2]
                                if pane is not None
                                and member.was_zero is False
                                and member.value is None  # else all of them are asked
                                and gradient.data_ptr() == pane[0]
                                else member.was_zero is not True and is_zero(gradient)
                            )
                        )
                    if begun := begun and cache.at is state:
                        cache.at = move.to
                        if move.events:
                            cache.trail.append(move)
                        if gradient is None:
                            cache.unseen = member.gradient = None
                        else:
                            member.version = gradient._version  # noqa: SLF001
        except Exception as error:
            begun = False
            cache.doubt(error)
        if not begun:
            begins.tell(roots, gradients, retain_graph, create_graph)
        try:
            result = original(
                roots,
                gradients,
                retain_graph,
                create_graph,
                inputs,
                allow_unreachable=allow_unreachable,
                accumulate_grad=True,
            )
        except BaseException as error:
            ends.tell(error)
            raise
        try:
            state = cache.at
            if (pattern := state.ending) is not None and not is_function_mode_on(None):
                move, feed, drawn, calls, group, last, closely, touches = pattern
                feeds = cache.feeds
                if (
                    feeds.feed == feed
                    and feeds.draws == drawn
                    and feeds.calls == calls
                    and (
                        not touches
                        or (
                            (seen := (member := group.representative).gradient) is not None
                            and (parameter := member.parameter()) is not None
                            and (gradient := seen()) is not None
                            and parameter.grad is gradient
                            and gradient._version != member.version  # noqa: SLF001
                        )
                    )
                ):
                    turn = group.turn
                    turn = turn + 1 if turn < last else 0
                    member = group.members[turn]
                    if (
                        (parameter := member.parameter()) is not None
                        and (gradient := parameter.grad) is not None
                        and cache.at is state
                    ):
                        member.version = gradient._version  # noqa: SLF001
                        if (seen := member.gradient) is None or seen() is not gradient:
                            member.gradient = ref(gradient)
                            member.pane = None
                        if not closely:
                            member.value = member.was_zero = None
                        elif cache.left % CLOSELY:
                            member.value = member.was_zero = None
                            if (
                                touches
                                and (pane := member.pane) is not None
                                and gradient.data_ptr() == pane[0]
                                and pane[1].value & pane[2]
                            ):
                                member.was_zero = False
                        elif (spot := member.spot) is not None and (
                            value := peek(spot, parameter, gradient)
                        ):
                            member.value, member.was_zero = value, False
                        else:
                            member.remember_deposit(closely=True)
                        group.turn = turn
                        group.representative = member
                        feeds.draws = 0
                        if calls:
                            del feeds.calls[: len(calls)]
                        cache.left -= 1
                        cache.at = move.to
                        cache.trail.append(move)
                        return result
        except Exception as error:
            cache.doubt(error)
        ends.tell(None)
        return result

    return run_backward
