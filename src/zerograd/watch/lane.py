"""The calm lane: a call that was answered before, from the same stand, is answered from memory.

The observer computes for each call of torch what it means. Its answer depends on where it stands,
on who calls from which line, and on what a look at the gradients shows. Once a loop is calm, the
lane makes the same looks, compares, and posts the very events of the last time. Whatever differs
goes to the observer, whose state is then what it would be had it answered all along.

Amid torch's own work every call costs the better part of a microsecond, and the step of a tiny
model has eight to spare. So a method here is one frame: it compares the line and makes its one
look on the spot, and what several of them have in common is written in each. Another thread may
take over between any two calls of ours, which is why each moves on only from where it stood.
"""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING, Any
from weakref import ref

from zerograd.hooks import channels
from zerograd.hooks.calls import step_begins as tell_of_step
from zerograd.rules.allowance import innermost
from zerograd.watch.members import GONE, TOUCHED
from zerograd.watch.rides import Rides
from zerograd.watch.values import is_zero, peek

if TYPE_CHECKING:
    from torch.nn import Module
    from torch.optim import Optimizer


class Lane(Rides):
    """Listens in the observer's place: the loop of one optimizer over one group, in a few looks."""

    def around_clear(self, original: Any, otherwise: Any) -> Any:
        """Return a `zero_grad` that is answered for before it runs: the next look shows that."""
        shortcut = channels.around_clear
        ours = shortcut.listener

        def zero_grad(owner: Optimizer | Module, set_to_none: bool = True) -> Any:
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
                        and (gradient := parameter.grad) is seen()
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
            return original(owner, set_to_none) if known else otherwise(owner, set_to_none)

        return zero_grad

    def around_backward(self, original: Any, otherwise: Any) -> Any:  # noqa: C901  flat: see above
        """Return a backward that is answered for before and after it runs."""
        shortcut = channels.around_backward
        ours = shortcut.listener

        # The engine's signature: passing on `*args` and `**kwargs` costs a microsecond.
        def run_backward(  # noqa: C901  flat: see above
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
                stand = self._at
                if (pattern := stand.beginning) is not None:
                    move, context, site, group, held, touched = pattern
                    height, code, at, above, code_above, at_above = site
                    if (
                        self._left > 0
                        and not (retain_graph or create_graph or self._dead)
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
                            looked = self._unseen is not None or (seen is None) is move.empty
                            begun = looked and not held
                        elif held and seen is not None and self._unseen is None:
                            begun = (
                                gradient is seen()
                                and (gradient._version != member.version) is touched  # noqa: SLF001
                                and member.was_zero is False
                                and is_zero(gradient)
                            )
                        if begun := begun and self._at is stand:
                            self._at = move.to
                            if move.events:
                                self._trail.append(move)
                            if gradient is None:
                                self._unseen = member.gradient = None
                            else:
                                member.version = gradient._version  # noqa: SLF001
            except Exception as error:
                begun = False
                self.doubt(error)
            if not begun:
                self.backward_begins(roots, gradients, retain_graph, create_graph)
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
                self.backward_ends(error)
                raise
            try:
                stand = self._at
                if (pattern := stand.ending) is not None:
                    move, feed, drawn, calls, group, last, closely, touches = pattern
                    feeds = self._feeds
                    if (
                        feeds.feed == feed
                        and feeds.has_drawn is drawn
                        and feeds.calls == calls
                        and (not touches or group.representative.look(GONE) is TOUCHED)
                    ):
                        turn = group.turn
                        turn = turn + 1 if turn < last else 0
                        member = group.members[turn]
                        if (
                            (parameter := member.parameter()) is not None
                            and (gradient := parameter.grad) is not None
                            and self._at is stand
                        ):
                            member.gradient = ref(gradient)
                            member.version = gradient._version  # noqa: SLF001
                            if not closely:
                                member.value = member.was_zero = None
                            elif (spot := member.spot) is not None and (
                                value := peek(spot, parameter, gradient)
                            ):
                                member.value, member.was_zero = value, False
                            else:
                                member.remember_deposit(closely=True)
                            group.turn = turn
                            group.representative = member
                            feeds.has_drawn = False
                            if calls:
                                del feeds.calls[: len(calls)]
                            self._left -= 1
                            self._at = move.to
                            self._trail.append(move)
                            return result
            except Exception as error:
                self.doubt(error)
            self.backward_ends(None)
            return result

        return run_backward

    def before_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> Any:
        """Answer for a step that begins, as torch's hook."""
        try:
            stand = self._at
            if (pattern := stand.stepping) is not None:
                move, subject, height, code, at, above, code_above, at_above, group, asks = pattern
                if (
                    subject() is optimizer
                    and not (kwargs or self._dead)
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
                    and (gradient := parameter.grad) is seen()
                    and gradient._version == member.version  # noqa: SLF001  as in `Member.look`
                    and (
                        not asks
                        or (
                            (spot := member.spot) is not None
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
            self.step_ends(optimizer)
