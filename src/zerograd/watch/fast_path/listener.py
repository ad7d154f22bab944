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
code that several of them share is written out in each. Another thread may take over between any
two of our calls, which is why each continues only from the state that it began in.
"""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING, Any

from torch.autograd import profiler

from zerograd.hooks import channels
from zerograd.hooks.calls import step_begins as tell_of_step
from zerograd.watch.fast_path.backward import FastBackward
from zerograd.watch.gradients.values import peek

if TYPE_CHECKING:
    from torch.optim import Optimizer


_OPTIMIZER, _DECORATOR = "torch.optim.optimizer", "torch._compile"
_PROFILING = "_is_profiler_enabled"


def _is_torchs_own(function: Any, name: str) -> bool:
    """Whether a function is torch's own, and not what somebody put in its place."""
    # A wrapper bears the name of what it wraps, and `torch.no_grad` can decorate anybody's.
    inner = getattr(function, "__wrapped__", function)
    return (
        _home(function) in {_OPTIMIZER, _DECORATOR}
        and _home(inner) == _OPTIMIZER
        and not hasattr(inner, "__wrapped__")
        and str(inner.__qualname__) == name
    )


def _home(function: Any) -> str:
    return str(getattr(function, "__globals__", {}).get("__name__"))


class FastPath(FastBackward):
    """Listens in the observer's place: the loop of one optimizer over one group, in a few looks."""

    def around_clear(self, original: Any, otherwise: Any) -> Any:
        """Return a `zero_grad` that is answered for before it runs: the next look shows that."""
        shortcut = channels.around_clear
        ours = shortcut.listener
        plain = _is_torchs_own(original, "Optimizer.zero_grad") and hasattr(profiler, _PROFILING)

        def zero_grad(owner: Any, set_to_none: bool = True) -> Any:
            known = False
            try:
                stand = self._at
                if (pattern := stand.clearing) is not None:
                    move, subject, none, height, code, instruction, group = pattern
                    if (
                        none is set_to_none
                        and subject() is owner
                        and (frame := _getframe(height)).f_lasti == instruction
                        and frame.f_code is code
                        and (parameter := (member := group.representative).parameter()) is not None
                        and (seen := member.gradient) is not None
                        and (gradient := seen()) is not None  # as one that was dropped by hand
                        and parameter.grad is gradient
                        and gradient._version == member.version  # noqa: SLF001  as `Member.look`
                        and shortcut.listener is ours
                        and self._at is stand
                    ):
                        self._at = move.to
                        self._trail.append(move)
                        self._unseen = stand
                        known = True
            except Exception as error:
                self.doubt(error)
            if not known:
                return otherwise(owner, set_to_none)
            if not (plain and set_to_none) or profiler._is_profiler_enabled:  # noqa: SLF001  as torch
                return original(owner, set_to_none)
            # What torch's own does, without the label that it puts on it for a profiler: that costs
            # about what our looks cost, whether or not anybody profiles.
            for parameters in owner.param_groups:
                for parameter in parameters["params"]:
                    parameter.grad = None
            return None

        return zero_grad

    def before_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> Any:
        """Answer for a step that begins, as torch's hook."""
        try:
            stand = self._at
            if (pattern := stand.stepping) is not None:
                move, subject, height, code, at, above, code_above, at_above, group, asks = pattern
                if (
                    subject() is optimizer
                    and not (kwargs or self._dead or len(args) > 1)  # a closure has to be heard
                    and (frame := _getframe(height)).f_lasti == at
                    and frame.f_code is code
                    and (
                        above == height
                        or (
                            (frame := _getframe(above)).f_lasti == at_above
                            and frame.f_code is code_above
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
                    and self._at is stand
                ):
                    self._at = move.to
                    return None
        except Exception as error:
            self.doubt(error)
        return tell_of_step(optimizer, args, kwargs)

    def after_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        """Answer for a step that returned, as torch's hook."""
        del args, kwargs
        stand = self._at
        if (move := stand.stopping) is not None:
            self._at = move.to
            self._trail.append(move)
        else:
            channels.step_ends.tell(optimizer)
