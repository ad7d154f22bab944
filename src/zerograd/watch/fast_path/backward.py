"""Answer a backward from cache: compare the gradients before it and after it in one frame.

`run_backward` takes the place of torch's. It has three parts, in the order in which they run:

    before   a cached beginning that fits?  yes: move to its state     no: the observer looks
    torch    the original, always
    after    a cached ending that fits?     yes: move, one trail entry  no: the observer looks

It is one long function because a call costs a tenth of what a whole answer may (see `one_group`).
A loop in its ninth round, `zero_grad` on line 11 and this backward on line 12:

    before   from line 12, under the same `allow`; the member whose turn it is has no `.grad`, and
             had none after the clear: nothing to compare with, so `begun`
    torch    `.grad` is a new tensor
    after    one batch was drawn and one forward was called, as in every round; the next member in
             turn has a `.grad`: remember it, and append the cached Backward@12 to the trail

The trail is posted later, as the same event objects that the observer posted in round one.
"""

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


def around_backward(cache: CallCache, original: Any, otherwise: Any) -> Any:  # noqa: C901  flat: see `one_group`
    """Return a backward that is answered for before and after it runs."""
    shortcut = channels.around_backward
    ours, answered = shortcut.listener, cache.trail.append
    # Asked of the observer by way of its channels, which guard the program from our mistakes.
    begins, ends = channels.backward_begins, channels.backward_ends

    # The engine's signature: passing on `*args` and `**kwargs` costs a microsecond.
    def run_backward(  # noqa: C901  flat: see `one_group`
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
        # Before: is it the call that was cached in this state, and do the gradients look alike?
        begun = False
        try:
            state = cache.at
            if (pattern := state.beginning) is not None and not is_function_mode_on(None):
                move, context, height, code, at, up, code_above, at_above, group, held, touched = (
                    pattern
                )
                # The same line, called from the same line: `up` frames above, 0 without a caller.
                if (
                    cache.left > 0
                    and not (retain_graph or create_graph or cache.dead)
                    and (frame := _getframe(height)).f_lasti == at
                    and frame.f_code is code
                    and (
                        not up
                        or (
                            (above := frame.f_back if up == 1 else _getframe(height + up))
                            and above.f_lasti == at_above
                            and above.f_code is code_above
                        )
                    )
                    and innermost.get() is context
                    and (parameter := (member := group.representative).parameter()) is not None
                ):
                    # `held`: in round one a gradient lay here, as it does from the second
                    # micro-batch of a window on. `touched`: its version had moved since the last
                    # look, as it has after a clip.
                    gradient, seen = parameter.grad, member.gradient
                    if gradient is None:
                        looked = cache.unseen is not None or (seen is None) is move.empty
                        begun = looked and not held
                    elif held and seen is not None and cache.unseen is None:
                        # The same tensor, and not zero: `grad.zero_()` moves the version too. One
                        # element that was not zero is enough, read through its pane.
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
                    # Another thread may have moved the cache meanwhile: then nothing is written.
                    if begun := begun and cache.at is state:
                        cache.at = move.to
                        if move.events:
                            answered(move)
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
        # After: was it fed as in round one, and did the deposit arrive?
        try:
            state = cache.at
            # A mode that was off before it is off now: a hook leaves the one that it enters.
            if (pattern := state.ending) is not None and (begun or not is_function_mode_on(None)):
                move, feed, drawn, calls, group, last, closely, touches = pattern
                feeds = cache.feeds
                # `touches`: the deposit fell on a gradient that lay there, so that the same tensor
                # must have another version now.
                if (
                    feeds.feed is feed  # the same int object: a loader has one
                    and feeds.draws == drawn
                    and (feeds.calls == calls if calls else not feeds.calls)
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
                    # The members take turns, so that a parameter which parts from its group is
                    # noticed after as many deposits as the group has members.
                    turn = group.turn
                    turn = turn + 1 if turn < last else 0
                    member = group.members[turn]
                    if (
                        (parameter := member.parameter()) is not None
                        and (gradient := parameter.grad) is not None
                        and cache.at is state
                    ):
                        member.version = gradient._version  # noqa: SLF001
                        if (
                            not touches
                            or (seen := member.gradient) is None
                            or seen() is not gradient
                        ):
                            member.gradient = ref(gradient)
                            member.pane = None
                        # What the next look is compared with: only at every 13th deposit values.
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
                        if drawn:
                            feeds.draws = 0
                        if calls:
                            del feeds.calls[: len(calls)]
                        cache.left -= 1
                        cache.at = move.to
                        answered(move)
                        return result
        except Exception as error:
            cache.doubt(error)
        ends.tell(None)
        return result

    return run_backward
