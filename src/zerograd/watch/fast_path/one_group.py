"""Answer a call of torch from cache when the same call was answered before in the same state.

The observer computes for each call of torch which events it means. Its answer depends on its own
state, on the line that calls, and on what a look at the gradients shows. Once a loop repeats, the
fast path makes the same looks, compares, and posts the same event objects again. Whatever differs
goes to the observer, whose state is then what it would be had it answered every call itself.

    zero_grad@11   state A, gradient as after a step   -> cached: post Clear@11, state B
    backward@12    state B, gradient None before       -> cached: post Backward@12, state C
    step@13        state C, gradient rewritten by hand -> differs: the observer answers

A call costs most of a microsecond amid torch's own work, and the step of a tiny model has eight to
spare. So a method here is one frame: it compares the line and makes its one look on the spot, and
code that several of them share is written out in each. What is left is four calls and 600 bytecodes
beside the 2,100 of the step of a tiny model itself; a bytecode takes 20 ns there, twice what it
takes in a loop of its own, so they are what to count when this is to be faster.

Another thread may take over between any two of our calls, which is why each continues only from the
state that it began in. A mode of the program would be told of each look: while one is on, all goes
by the channels, which step out of it.
"""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING, Any

from zerograd.hooks import channels
from zerograd.hooks.call_wrappers import step_begins as tell_of_step
from zerograd.hooks.channels import CHANNELS
from zerograd.hooks.program_modes import is_function_mode_on
from zerograd.watch.fast_path.backward import around_backward
from zerograd.watch.fast_path.call_cache import CallCache
from zerograd.watch.fast_path.several_groups import Replay
from zerograd.watch.gradients.values import peek
from zerograd.watch.observe.observer import Observer

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.optim import Optimizer

    from zerograd.lifecycle import Event, Fault
    from zerograd.source.loops import Reader


class FastPath:
    """Listens in the observer's place: the loop of one optimizer over one group, in a few looks.

    What it cannot answer goes to `Replay`, which knows loops over several groups, and from there
    to the observer. Calls that are never cached go to the observer at once.
    """

    def __init__(
        self,
        post: Callable[[Event], None],
        reader: Reader,
        *,
        repost: Callable[[list[Event]], None],
        report: Callable[[Fault], None],
        fail: Callable[[Exception], None],
        stepped: Callable[[int], None],
    ) -> None:
        posted: list[Event] = []

        def note(event: Event) -> None:
            posted.append(event)
            post(event)

        self.observer = Observer(note, reader, report=report, fail=fail, stepped=stepped)
        self.cache = CallCache(self.observer, posted, repost)
        replay = Replay(self.observer, self.cache)
        for channel in CHANNELS:
            answering = replay if hasattr(replay, channel.name) else self.observer
            if hasattr(answering, channel.name):
                setattr(self, channel.name, getattr(answering, channel.name))

    def around_backward(self, original: Any, otherwise: Any) -> Any:
        """Return a backward that is answered for before and after it runs."""
        return around_backward(self.cache, original, otherwise)

    def around_clear(self, original: Any, otherwise: Any) -> Any:
        """Return a `zero_grad` that is answered for before it runs: the next look shows that."""
        cache, shortcut = self.cache, channels.around_clear
        ours, answered = shortcut.listener, cache.trail.append

        def zero_grad(owner: Any, set_to_none: bool = True) -> Any:
            known = False
            try:
                state = cache.at
                if (pattern := state.clearing) is not None and not is_function_mode_on(None):
                    move, subject, none, height, code, at, up, code_above, at_above, group = pattern
                    if (
                        none is set_to_none
                        and subject() is owner
                        and (frame := _getframe(height)).f_lasti == at
                        and frame.f_code is code
                        and (
                            not up  # the line has no caller
                            or (
                                (above := frame.f_back if up == 1 else _getframe(height + up))
                                and above.f_lasti == at_above
                                and above.f_code is code_above
                            )
                        )
                        and (parameter := (member := group.representative).parameter()) is not None
                        and (seen := member.gradient) is not None
                        and (gradient := seen()) is not None  # as one that was dropped by hand
                        and parameter.grad is gradient
                        and gradient._version == member.version  # noqa: SLF001  as `Member.look`
                        and shortcut.listener is ours
                        and cache.at is state
                    ):
                        cache.at = move.to
                        answered(move)
                        cache.unseen = state
                        known = True
            except Exception as error:
                cache.doubt(error)
            if not known:
                return otherwise(owner, set_to_none)
            return original(owner, set_to_none)

        return zero_grad

    def before_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> Any:
        """Answer for a step that begins, as torch's hook."""
        cache = self.cache
        try:
            state = cache.at
            if (pattern := state.stepping) is not None and not is_function_mode_on(None):
                to, subject, height, code, at, up, code_above, at_above, group, asks = pattern
                if (
                    subject() is optimizer
                    and not (kwargs or cache.dead or len(args) > 1)  # a closure has to be heard
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
                    and (parameter := (member := group.representative).parameter()) is not None
                    and (seen := member.gradient) is not None
                    and (gradient := seen()) is not None
                    and parameter.grad is gradient
                    and gradient._version == member.version  # noqa: SLF001  as in `Member.look`
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

    def after_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        """Answer for a step that returned, as torch's hook."""
        del args, kwargs
        cache = self.cache
        state = cache.at
        if (move := state.stopping) is not None:
            cache.at = move.to
            cache.trail.append(move)
        else:
            channels.step_ends.tell(optimizer)
