"""Answer a call of torch from cache when the same call was answered before in the same state.

The observer computes for each call of torch which events it means. Its answer depends on its own
state, on the line that calls, and on what a look at the gradients shows. Once a loop repeats, the
fast path makes the same looks, compares, and posts the same event objects again. Whatever differs
goes to the observer, whose state is then what it would be had it answered every call itself.

    zero_grad@11   state A, gradient as after a step   -> cached: post Clear@11, state B
    backward@12    state B, gradient None before       -> cached: post Backward@12, state C
    step@13        state C, gradient rewritten by hand -> differs: the observer answers

A call costs most of a microsecond amid torch's own work, and the step of a tiny model has eight to
spare. So each answer is one frame: it compares the line and makes its one look on the spot, and
code that several of them share is written out in each. What is left is four frames with 450
bytecodes, and 24 of torch's own that call two of them, beside the 2,080 of the step of a tiny model
itself; a bytecode takes 20 ns there, twice what it takes in a loop of its own, so they are what to
count when this is to be faster (`tests/watch/test_late_faults.py` does).

What an answer compares lies in one tuple of the state, its pattern. A loop that repeats finds the
same pattern in the same place each time, so an answer unpacks it into variables that stay, and
unpacks again only where another pattern lies there:

    round 1     state A has pattern p: not the one that is unpacked, so unpack p; compare
    round 2...  state A has pattern p: compare
    round 9     something was arranged anew, and state A' has pattern q: unpack q; compare

A state without an answer has a pattern that no call fits. That a gradient is the same tensor shows
by its weak reference, of which Python has one for each object; where it had several, the observer
would answer.

Another thread may take over between any two of our calls, which is why each continues only from the
state that it began in: what another thread has unpacked meanwhile is of another state. A mode of
the program would be told of each look: while one is on, all goes by the channels, which step out of
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zerograd.hooks.channels import CHANNELS
from zerograd.watch.fast_path.backward import around_backward
from zerograd.watch.fast_path.call_cache import CallCache
from zerograd.watch.fast_path.clear import around_clear
from zerograd.watch.fast_path.several_groups import Replay
from zerograd.watch.fast_path.step import step_hooks
from zerograd.watch.observe.observer import Observer

if TYPE_CHECKING:
    from collections.abc import Callable

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
        self.before_step, self.after_step = step_hooks(self.cache)
        replay = Replay(self.observer, self.cache)
        for channel in CHANNELS:
            answering = replay if hasattr(replay, channel.name) else self.observer
            if hasattr(answering, channel.name):
                setattr(self, channel.name, getattr(answering, channel.name))

    def around_clear(self, original: Any, otherwise: Any) -> Any:
        """Return a `zero_grad` that is answered for before it runs."""
        return around_clear(self.cache, original, otherwise)

    def around_backward(self, original: Any, otherwise: Any) -> Any:
        """Return a backward that is answered for before and after it runs."""
        return around_backward(self.cache, original, otherwise)
