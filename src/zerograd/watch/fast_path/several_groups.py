"""Replay cached answers for loops with several parameter groups."""

from __future__ import annotations

from sys import _getframe
from threading import get_ident
from typing import TYPE_CHECKING, Any

from zerograd.rules.allowance import innermost
from zerograd.watch.fast_path.call_cache import SKIPPED
from zerograd.watch.fast_path.expected_change import all_show, are_together, remember_deposits
from zerograd.watch.gradients.groups import SAME

if TYPE_CHECKING:
    from torch.nn import Module
    from torch.optim import Optimizer

    from zerograd.watch.fast_path.call_cache import CallCache
    from zerograd.watch.fast_path.observer_state import CachedCall
    from zerograd.watch.observe.observer import Observer


class Replay:
    """Answers a call from the cache, however many groups it concerns, or asks the observer."""

    def __init__(self, observer: Observer, cache: CallCache) -> None:
        self._observer, self._cache = observer, cache

    def clear_begins(self, owner: Optimizer | Module) -> None:
        """Look for handwork, or ask the observer where a clear can take a deposit away."""
        if not self._is_untouched():
            self._observer.clear_begins(owner)

    def cleared(self, owner: Optimizer | Module, set_to_none: bool) -> None:
        """Answer from memory, or ask the observer."""
        if not self._answers_from_cache("clears", owner, set_to_none):
            before = self._cache.at
            self._observer.cleared(owner, set_to_none)
            self._cache.learn(before, "clears", owner, set_to_none)

    def backward_begins(
        self, roots: Any, gradients: Any, retain_graph: bool, create_graph: bool
    ) -> None:
        """Answer from memory, or ask the observer."""
        plain = not (retain_graph or create_graph)
        if (
            plain
            and self._cache.left > 0
            and not self._cache.dead
            and self._answers_from_cache("begins")
        ):
            return
        before = self._cache.at
        self._observer.backward_begins(roots, gradients, retain_graph, create_graph)
        if plain and not before.accumulating:
            self._cache.learn(before, "begins", None, None)

    def backward_ends(self, error: BaseException | None) -> None:
        """Answer from memory, or ask the observer."""
        feeds = self._cache.deposits.feeds
        fed = (feeds.feed, feeds.draws, feeds.calls[:])
        if error is None and self._answers_from_cache("ends", None, fed):
            feeds.deposited(len(fed[2]))
            self._cache.left -= 1
            return
        before = self._cache.at
        self._observer.backward_ends(error)
        if error is None:
            self._cache.learn(before, "ends", None, fed)

    def step_begins(self, optimizer: Optimizer, has_closure: bool) -> None:
        """Answer from memory, or ask the observer."""
        if has_closure or self._cache.dead or not self._answers_from_cache("steps", optimizer):
            before = self._cache.at
            self._observer.step_begins(optimizer, has_closure)
            self._cache.learn(before, "steps", optimizer, None)

    def step_ends(self, optimizer: Optimizer) -> None:
        """Answer from memory, or ask the observer; here a run may be ended early."""
        if not self._answers_from_cache("stepped", optimizer):
            before = self._cache.at
            self._observer.step_ends(optimizer)
            self._cache.learn(before, "stepped", optimizer, None)

    def batch_drawn(self, iterator: Any) -> None:
        """Remember that a batch was drawn; the observer hears of it in a pass that it follows."""
        feeds, evaluations = self._cache.deposits.feeds, self._observer.evaluations
        with self._cache.poster.lock:
            followed = evaluations.follows(feeds.draws_with(iterator))
            if not followed:
                feeds.drawn(iterator)
        if followed:
            self._observer.batch_drawn(iterator)

    def gradients_asked(self, roots: Any) -> None:
        """Tell the observer of outputs that were kept to be differentiated."""
        with self._cache.poster.lock:
            self._observer.evaluations.differentiated(roots)

    def _answers_from_cache(self, kind: str, subject: Any = None, what: object = None) -> bool:
        """Whether this call could be answered from memory, and was."""
        state = self._cache.at
        move: CachedCall | None = getattr(state, kind)
        while move is not None and not (
            move.subject() is subject and move.what == what and _is_here(move, kind)
        ):
            move = move.other
        if (
            move is None
            or not self._may_answer
            or (kind == "ends" and not are_together(move.looks))
            or not all_show(move.looks)
        ):
            return False
        if kind == "ends":
            remember_deposits(move.looks)
        if self._cache.at is not state:
            return False
        self._cache.at = move.to
        self._cache.trail.append(move)
        return True

    @property
    def _may_answer(self) -> bool:
        # Of a clear that nobody has seen yet the observer takes note first.
        return self._cache.unseen is None and get_ident() == self._cache.thread

    def _is_untouched(self) -> bool:
        """Whether nobody wrote by hand into what lies there, or into what is empty."""
        flags = self._cache.at.flags
        return (
            self._cache.at.idle
            and self._may_answer
            and all(group.representative.look(SAME) is SAME for group, _, _ in flags)
        )


def _is_here(move: CachedCall, kind: str) -> bool:
    """Whether a call comes from the lines of a move; what only ends another comes from nowhere."""
    if kind not in SKIPPED:
        return True
    below = SKIPPED[kind] + 1
    height, code, instruction, height_above, code_above, instruction_above = move.site
    try:
        frame, above = _getframe(height + below), _getframe(height_above + below)
    except ValueError:  # the stack is not as high as it was
        return False
    return (
        (frame.f_code, frame.f_lasti) == (code, instruction)
        and (above.f_code, above.f_lasti) == (code_above, instruction_above)
        and innermost.get() == move.allowance
    )
