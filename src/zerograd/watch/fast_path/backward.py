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
from zerograd.watch.fast_path.observer_state import NOT_BEGINNING, NOT_ENDING
from zerograd.watch.gradients.values import is_zero, peek

if TYPE_CHECKING:
    from zerograd.watch.fast_path.call_cache import CallCache

CLOSELY = 13
"""At every so many deposits the values are read too. Odd, so that each parameter has its turn."""


def around_backward(cache: CallCache, original: Any, otherwise: Any) -> Any:  # noqa: C901  flat: see `one_group`
    """Return a backward that is answered for before and after it runs."""
    shortcut = channels.around_backward
    ours, trail = shortcut.listener, cache.trail
    dead, feeds, called = cache.dead, cache.feeds, cache.feeds.calls
    # Asked of the observer by way of its channels, which guard the program from our mistakes.
    begins, ends = channels.backward_begins, channels.backward_ends
    # What was compared last, one variable each: see `one_group` on unpacking.
    beginning = into, posts, context, site, group, was_empty, held, touched = NOT_BEGINNING
    height, code, at, over, code_above, at_above = site
    ending = to, move, fed, reached, plain, calls, closely, touches = NOT_ENDING

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
        nonlocal beginning, into, posts, context, height, code, at, over, code_above, at_above
        nonlocal group, was_empty, held, touched
        nonlocal ending, to, move, fed, reached, plain, calls, closely, touches
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
            if state.beginning is not beginning:
                pattern = state.beginning
                into, posts, context, site, group, was_empty, held, touched = pattern
                height, code, at, over, code_above, at_above = site
                beginning = pattern
            if (
                cache.left > 0
                and innermost.get() is context
                and not (retain_graph or create_graph or dead)
                and (frame := _getframe(height)).f_lasti == at
                and frame.f_code is code
                and (above := _getframe(over)).f_lasti == at_above
                and above.f_code is code_above
                and not is_function_mode_on(None)
                and (parameter := (member := group.representative).parameter()) is not None
            ):
                # `held`: in round one a gradient lay here, as it does from the second micro-batch
                # of a window on. `touched`: its version had moved since the last look, as it has
                # after a clip. Another thread may have moved the cache meanwhile: then nothing is
                # written.
                if (gradient := parameter.grad) is None:
                    if (
                        not held
                        and (cache.unseen is not None or (member.gradient is None) is was_empty)
                        and cache.at is state
                    ):
                        cache.unseen = member.gradient = None
                        cache.at = into
                        if posts is not None:
                            trail.append(posts)
                        begun = True
                elif held and cache.unseen is None and ref(gradient) is member.gradient:
                    # The same tensor, and not zero: `grad.zero_()` moves the version too. One
                    # element that was not zero is enough, read through its pane.
                    version, pane = gradient._version, member.pane  # noqa: SLF001  as in `GradientState.look`
                    if (
                        (version != member.version) is touched
                        and (
                            not pane[1].value & pane[2]
                            if pane is not None
                            and member.was_zero is False
                            and member.value is None  # else all of them are asked
                            and gradient.data_ptr() == pane[0]
                            else member.was_zero is not True and is_zero(gradient)
                        )
                        and cache.at is state
                    ):
                        member.version = version
                        cache.at = into
                        if posts is not None:
                            trail.append(posts)
                        begun = True
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
            if state.ending is not ending:
                pattern = state.ending
                to, move, fed, reached, plain, calls, closely, touches = pattern
                ending = pattern
            # `plain`: on nothing, and nothing below has to be done but to remember the gradient.
            # `touches`: the deposit fell on a gradient that lay there, so that the same tensor must
            # have another version now. A mode that was off before it is off now: a hook leaves the
            # one that it enters. The members take turns, so that a parameter which parts from its
            # group is noticed after as many deposits as the group has members.
            if (
                feeds.fed == fed
                and (begun or not is_function_mode_on(None))
                and (
                    plain
                    or not touches
                    or (
                        (parameter := (member := reached.representative).parameter()) is not None
                        and (gradient := parameter.grad) is not None
                        and ref(gradient) is member.gradient
                        and gradient._version != member.version  # noqa: SLF001
                    )
                )
                and (parameter := (member := reached.representative.following).parameter())
                is not None
                and (gradient := parameter.grad) is not None
                and cache.at is state
            ):
                member.version = gradient._version  # noqa: SLF001
                if plain:
                    member.gradient = ref(gradient)
                    member.value = member.was_zero = member.pane = None
                else:
                    if not touches or ref(gradient) is not member.gradient:
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
                    feeds.fed = (fed[0], 0, called)
                    del called[:calls]
                reached.representative = member
                cache.left -= 1
                cache.at = to
                trail.append(move)
                return result
        except Exception as error:
            cache.doubt(error)
        ends.tell(None)
        return result

    return run_backward
