"""Answer a backward from cache: compare the gradients before it and after it in one frame."""

from __future__ import annotations

from sys import _getframe
from typing import Any
from weakref import ref

from zerograd.hooks import channels
from zerograd.rules.allowance import innermost
from zerograd.watch.fast_path.replay import Replay
from zerograd.watch.gradients.values import is_zero, peek

CLOSELY = 13
"""At every so many deposits the values are read too. Odd, so that each parameter has its turn."""


class FastBackward(Replay):
    """Answers for a backward in one frame: see `listener`."""

    def around_backward(self, original: Any, otherwise: Any) -> Any:  # noqa: C901  flat: see above
        """Return a backward that is answered for before and after it runs."""
        shortcut = channels.around_backward
        ours = shortcut.listener
        # Asked of the observer by way of its channels, which guard the program from our mistakes.
        begins, ends = channels.backward_begins, channels.backward_ends

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
                stand = self._at
                if (pattern := stand.ending) is not None:
                    move, feed, drawn, calls, group, last, closely, touches = pattern
                    feeds = self._feeds
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
                            and self._at is stand
                        ):
                            member.version = gradient._version  # noqa: SLF001
                            if (seen := member.gradient) is None or seen() is not gradient:
                                member.gradient = ref(gradient)
                                member.pane = None
                            if not closely:
                                member.value = member.was_zero = None
                            elif self._left % CLOSELY:
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
                            self._left -= 1
                            self._at = move.to
                            self._trail.append(move)
                            return result
            except Exception as error:
                self.doubt(error)
            ends.tell(None)
            return result

        return run_backward
