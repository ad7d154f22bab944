"""How long an observer takes: it hears what torch calls, and the time in it is added up."""

from __future__ import annotations

from functools import partial
from time import thread_time
from typing import TYPE_CHECKING, Any

from zerograd.hooks import channels
from zerograd.hooks.channels import CHANNELS, SHORTCUTS

if TYPE_CHECKING:
    from collections.abc import Callable


class Stopwatch:
    """Hears what an observer hears, and adds up the time that it takes."""

    def __init__(self, observer: Any) -> None:
        self.seconds = 0.0
        around = (channels.around_clear, channels.around_backward)
        # Of these a shortcut is timed as a whole, and between the two no frame may come.
        inside = [channel for shortcut in SHORTCUTS for channel in shortcut.channels]
        for one in (*CHANNELS, *SHORTCUTS):
            if hasattr(observer, one.name):
                method = getattr(observer, one.name)
                timed_method = (
                    partial(self._around, method) if one in around else self._timed(method)
                )
                setattr(self, one.name, method if one in inside else timed_method)

    def _timed(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def timed_call(*what: Any, **more: Any) -> Any:
            start = thread_time()
            try:
                return method(*what, **more)
            finally:
                self.seconds += thread_time() - start

        return timed_call

    def _around(self, method: Callable[..., Any], original: Any, otherwise: Any) -> Any:
        """Put around a call what the observer does; torch's own part of it is not ours."""
        return self._timed(method(partial(self._outside, original), otherwise))

    def _outside(self, call: Callable[..., Any], *what: Any, **more: Any) -> Any:
        start = thread_time()
        try:
            return call(*what, **more)
        finally:
            self.seconds -= thread_time() - start


class Idle:
    """Hears what the calm lane hears and does nothing: what the stopwatch shows of it is its own.

    After the arithmetic of a large model nothing of Python's is in the caches any more, so that
    reading the clock and calling a function cost several times what they cost in a loop.
    """

    def around_clear(self, original: Any, otherwise: Any) -> Any:
        """Return a `zero_grad` that only clears."""
        del otherwise

        def zero_grad(owner: Any, set_to_none: bool = True) -> Any:
            return original(owner, set_to_none)

        return zero_grad

    def around_backward(self, original: Any, otherwise: Any) -> Any:
        """Return a backward that only goes backward."""
        del otherwise

        def run_backward(*args: Any, **kwargs: Any) -> Any:
            return original(*args, **kwargs)

        return run_backward

    def before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """Let it step."""

    def after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """Let it be."""

    def heard(self, *what: Any) -> None:
        """Stand for the channels: without these nobody asks for the shortcuts."""

    clear_begins = cleared = backward_begins = backward_ends = step_begins = step_ends = heard
