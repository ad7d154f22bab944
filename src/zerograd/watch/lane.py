"""The calm lane: a call that was answered before, from the same stand, is answered from memory.

The observer computes for each call of torch what it means. Its answer depends on where it stands,
on who calls from which line, and on what a look at the gradients shows. Once a loop is calm, the
lane makes the same looks, compares, and posts the very events of the last time. Whatever differs
goes to the observer, whose state is then what it would be had it answered all along.
"""

from __future__ import annotations

from sys import _getframe
from threading import get_ident
from time import sleep
from typing import TYPE_CHECKING, Any

from zerograd.hooks.call_site import ANYWHERE, site
from zerograd.rules.allowance import innermost
from zerograd.watch.members import APPEARED, SAME, VANISHED
from zerograd.watch.observer import Observer
from zerograd.watch.pace import AGAIN
from zerograd.watch.stands import (
    KINDS,
    NOWHERE,
    Move,
    Stand,
    Under,
    all_show,
    pointer,
    remember_deposits,
    remembered,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from torch.nn import Module
    from torch.optim import Optimizer

    from zerograd.lifecycle import Event, Fault
    from zerograd.watch.reading import Reader

CLEARED, BEGINS, ENDS, STEPS, STEPPED = range(KINDS)

CALLED = {CLEARED, BEGINS, STEPS}
"""The calls of a line of the user's; the others only end what such a call began."""

MOST = 256
"""So many stands are remembered; a program with more is not calm."""

SEVERAL = -1
"""No thread: two were heard, or somebody else asks, and the observer answers everything."""


class Lane(Observer):
    """Listens in the observer's place, and asks it when it does not remember."""

    def __init__(
        self,
        post: Callable[[Event], None],
        reader: Reader,
        *,
        repost: Callable[[Event], None],
        report: Callable[[Fault], None],
        fail: Callable[[BaseException], None],
        stepped: Callable[[int], None],
    ) -> None:
        def noted(event: Event) -> None:
            self._posted.append(event)
            post(event)

        super().__init__(noted, reader, report=report, fail=fail, stepped=stepped)
        self._repost = repost
        self._posted: list[Event] = []
        self._at = NOWHERE
        self._stands: dict[Hashable, Stand] = {}
        self._arrangement = 0
        self._rider = 0
        """The one thread that may ride."""
        self._trail: list[Move] = []
        """What was answered from memory and not yet posted."""
        self.riding = False
        """The observer's state is behind: the last call was answered from memory."""
        self._busy = False
        """A call is being answered from memory at this moment."""

    # -- the calls

    def clear_begins(self, owner: Optimizer | Module) -> None:
        """Look for handwork, or ask the observer where a clear can take a deposit away."""
        if not self._at.idle or get_ident() != self._rider or not self._untouched():
            super().clear_begins(owner)

    def cleared(self, owner: Optimizer | Module, set_to_none: bool) -> None:
        """Answer from memory, or ask the observer."""
        if not self._rides(CLEARED, owner, set_to_none):
            before = self._at
            super().cleared(owner, set_to_none)
            self._learn(before, CLEARED, owner, set_to_none)

    def backward_begins(
        self, roots: Any, gradients: Any, retain_graph: bool, create_graph: bool
    ) -> None:
        """Answer from memory, or ask the observer."""
        deposits = self.deposits
        plain = not (retain_graph or create_graph or deposits.retained.any or deposits.tracked)
        due = not (deposits.count + 1) % AGAIN or self.clerk.roster.dead or deposits.reached_nobody
        if plain and not due and self._rides(BEGINS, None, None):
            return
        before = self._at
        super().backward_begins(roots, gradients, retain_graph, create_graph)
        if plain and not before.accumulating:
            self._learn(before, BEGINS, None, None)

    def backward_ends(self, error: BaseException | None) -> None:
        """Answer from memory, or ask the observer."""
        deposits, under = self.deposits, self._at.under
        feeds = deposits.feeds
        loss = deposits.losses.get(under.place) if under is not None else None
        fed = (feeds.feed, feeds.has_drawn, loss)
        plain = error is None and not (deposits.posted_once or deposits.tracked)
        if plain and self._rides(ENDS, None, fed):
            feeds.has_drawn = deposits.reached_nobody = False
            deposits.count += 1
            return
        before = self._at
        super().backward_ends(error)
        if plain:
            self._learn(before, ENDS, None, fed)

    def step_begins(self, optimizer: Optimizer, has_closure: bool) -> None:
        """Answer from memory, or ask the observer."""
        if has_closure or not self._rides(STEPS, optimizer, None):
            before = self._at
            super().step_begins(optimizer, has_closure)
            self._learn(before, STEPS, optimizer, None)

    def step_ends(self, optimizer: Optimizer) -> None:
        """Answer from memory, or ask the observer; here a run may be ended early."""
        if self._rides(STEPPED, None, None):
            count = self.steps.count = self.steps.count + 1
            if not count & (count - 1):
                self.catch_up()
                self.stepped(count)
            return
        before = self._at
        super().step_ends(optimizer)
        self._learn(before, STEPPED, None, None)

    # -- riding

    def _rides(self, kind: int, subject: Any, what: Hashable) -> bool:
        """Whether this call could be answered from memory, and was."""
        self._busy = True
        try:
            move = self._at.moves[kind]
            if move is None or get_ident() != self._rider:
                return False
            # One frame for it all: amid torch's own work each call in Python costs half a
            # microsecond, and six of them a call would cost the tiny model ten percent.
            while not (
                move.subject() is subject
                and move.what == what
                and (
                    not move.height
                    or (
                        (frame := _getframe(move.height)).f_lasti == move.instruction
                        and frame.f_code is move.code
                        and (
                            not move.height_above
                            or (
                                (frame := _getframe(move.height_above)).f_lasti
                                == move.instruction_above
                                and frame.f_code is move.code_above
                            )
                        )
                        and innermost.get() is move.allowance
                    )
                )
            ):
                move = move.other
                if move is None:
                    return False
            if move.looks and not self._shows(move):
                return False
            if not self.riding:
                self.riding = True
                self._at.suspend(self._rider, self.deposits, self.steps)
            self._at = move.to
            if move.events:
                self._trail.append(move)
        except ValueError:  # the stack is not as high as it was
            return False
        except Exception as error:
            self.fail(error)
        finally:
            self._busy = False
        return True

    def _shows(self, move: Move) -> bool:
        """Whether the gradients show what they showed; if not, they count as not looked at."""
        group, change = move.group, move.change
        if group is None:
            shown = all_show(move.looks)
            if shown and move.deposits:
                remember_deposits(move.looks)
            return shown
        if change is not APPEARED:
            shown = group.members[group.turn].look(change) is change
            if shown and move.deposits:
                remember_deposits(move.looks)
            return shown
        if group.fill():
            return True
        self.clerk.pace.now = self.deposits.count + 1
        self.clerk.pace.relapse()  # the next in turn got nothing: look at all of them
        return False

    def _untouched(self) -> bool:
        """Whether nobody wrote by hand into what lies there, or into what is empty."""
        try:
            return all(g.members[g.turn].look(SAME) is SAME for g, _, _ in self._at.flags)
        except Exception as error:
            self.fail(error)
            return True

    # -- the observer's turn

    def take_over(self) -> None:
        """Give the observer the state that it would have, had it answered every call."""
        rider, thread = self._rider, get_ident()
        if rider != thread:
            self._rider = SEVERAL if rider else thread
            while self._busy:
                sleep(0)
        if self.riding:
            self.riding = False
            self._at.restore(rider, self.deposits, self.steps)
            self.clerk.pace.now = self.deposits.count + bool(self.clerk.filling)
            self._post_trail()
        self._posted.clear()
        self.clerk.roster.found = []

    def catch_up(self) -> None:
        """Post what was answered from memory."""
        with self.clerk.lock:
            if self.riding:
                try:
                    self.take_over()
                    self.hand_back()
                except Exception as error:
                    self.fail(error)

    def answer_all(self) -> None:
        """Answer nothing from memory any more."""
        with self.clerk.lock:
            self.take_over()
            self._rider, self._at = SEVERAL, NOWHERE

    def _post_trail(self) -> None:
        trail, self._trail = self._trail, []
        now = innermost.get()
        for move in trail:
            # Judged by what was allowed there, not by what is allowed here and now.
            if move.allowance is not now:
                innermost.set(move.allowance)
            for event in move.events:
                self._repost(event)
            if move.allowance is not now:
                innermost.set(now)

    def hand_back(self) -> None:
        """Find out where the observer stands now."""
        self._at = self._stand() if self._is_calm() else NOWHERE

    def _is_calm(self) -> bool:
        """Whether the observer looks at one gradient in turn, and nobody asks for more."""
        return not (
            self.clerk.pace.at_all
            or self.clerk.kept.asking
            or self.modules.listening
            or self.deposits.scaled
            or self.clerk.damages.measuring
            or self._rider == SEVERAL
        )

    def _stand(self) -> Stand:
        roster, accumulating = self.clerk.roster, self.deposits.accumulating
        if self._arrangement != roster.arrangement or len(self._stands) > MOST:
            self._arrangement = roster.arrangement
            self._stands.clear()
        under = self._under()
        if under is None and (self.clerk.filling or self.steps.any_under_way):
            return NOWHERE
        flags = tuple((group, group.fresh, group.spent) for group in roster.groups)
        written = tuple(group.written for group in roster.groups)
        key = (flags, written, accumulating, under and under[:2])
        stand = self._stands.get(key)
        if stand is None:
            stand = self._stands[key] = Stand(flags, accumulating, under)
        return stand

    def _under(self) -> Under | None:
        """Return the one backward or step that is under way, unless there are more."""
        step = self.steps.under_way(self._rider)
        if step is not None and not self.clerk.filling:
            return Under(step.place, step.number, pointer(step.optimizer))
        place = None if self.steps.any_under_way else self.deposits.under_way(self._rider)
        return None if place is None else Under(place)

    def _learn(self, before: Stand, kind: int, subject: Any, what: Hashable) -> None:
        """Remember how the observer answered, if the same call can be answered so again."""
        if before is NOWHERE or self._at is NOWHERE or not self._is_plain(kind):
            return
        where = site() if kind in CALLED else ANYWHERE
        looks = remembered(before, self.clerk.roster.found, self._posted, asks=kind in CALLED)
        if where is None or looks is None:
            return
        events, deposits = tuple(self._posted), kind == ENDS
        move = Move(where, pointer(subject), what, looks, events, self._at, deposits=deposits)
        before.add(kind, move)

    def _is_plain(self, kind: int) -> bool:
        """Whether the observer did nothing else than look and post."""
        under, flags = self._at.under, self._at.flags
        if kind == BEGINS:  # what lies spent may have been copied, for the damage
            return under is not None and not any(g.owners and spent for g, _, spent in flags)
        if kind == STEPS:
            number = under.number if under is not None else None
            return number is not None and self.steps.effects.believes(number)
        if kind == ENDS:  # one that reached nobody makes the observer search for somebody
            return any(change not in (SAME, VANISHED) for change, _ in self.clerk.roster.found)
        return under is None
