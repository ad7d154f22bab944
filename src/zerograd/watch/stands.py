"""Where the observer stands between two calls, and the moves that lead from one stand to the next.

A stand holds everything that the observer's answer to the next call depends on, apart from what a
look at the gradients shows. A move is one call that was answered before: by whom and from which
line it came, what the looks showed, what was posted, and where it led.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

from zerograd.lifecycle import Backward, Clear, Step, Write
from zerograd.rules.allowance import innermost
from zerograd.watch.handwork import is_cleared
from zerograd.watch.members import APPEARED, GONE, REPLACED, SAME, VANISHED

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from zerograd.hooks import Source
    from zerograd.hooks.call_site import Site
    from zerograd.lifecycle import Event
    from zerograd.watch.deposits import Deposits
    from zerograd.watch.members import Change, Group
    from zerograd.watch.steps import Steps


_ANSWERS = (Backward, Clear, Step, Write)
"""What may be posted from memory; that a parameter was written is for the observer to say."""

KINDS = 5
"""How many kinds of calls are answered from memory."""

MOST = 8
"""So many lines that make the same kind of call from one stand are remembered."""


def _nobody() -> None:
    """Be the subject of a call that has none."""


class Under(NamedTuple):
    """The backward or the step that has begun and not returned."""

    place: Source
    number: int | None = None
    """The optimizer that steps; None in a backward."""

    optimizer: Callable[[], Any] | None = None


class Look(NamedTuple):
    """What a group showed, and has to show again."""

    group: Group
    change: Change
    asks: bool
    """Whether its values are asked too: was it cleared, was its parameter written?"""

    fresh: bool
    spent: bool
    cleared: bool


class Move:
    """One call, answered: the same call from the same stand has the same answer.

    Flat, for it is compared at every call.
    """

    __slots__ = (
        *("allowance", "change", "code", "code_above", "deposits", "events", "group", "height"),
        *("height_above", "instruction", "instruction_above", "looks", "other", "subject"),
        *("to", "what"),
    )

    def __init__(
        self,
        site: Site,
        subject: Callable[[], Any],
        what: Hashable,
        looks: tuple[Look, ...],
        events: tuple[Event, ...],
        to: Stand,
        *,
        deposits: bool,
    ) -> None:
        self.height, self.code, self.instruction = site[:3]
        self.height_above, self.code_above, self.instruction_above = site[3:]
        self.subject = subject
        """The optimizer or module that was called."""
        self.what = what
        """With what it was called."""
        self.looks = looks
        self.events = events
        self.to = to
        self.deposits = deposits
        """Whether the looks showed a deposit."""
        self.allowance = innermost.get()
        plain = looks[0] if len(looks) == 1 and not looks[0].asks else None
        self.group = plain.group if plain is not None else None
        """The group, where one plain look is all."""
        self.change = plain.change if plain is not None else None
        self.other: Move | None = None
        """The same kind of call from another line, or of another optimizer."""

    def is_same_call(self, move: Move) -> bool:
        """Whether two moves answer the same call."""
        mine = (self.code, self.instruction, self.code_above, self.instruction_above)
        others = (move.code, move.instruction, move.code_above, move.instruction_above)
        return mine == others and self.what == move.what and self.subject() is move.subject()


@dataclass(slots=True, eq=False)
class Stand:
    """The state of the observer between two calls."""

    flags: tuple[tuple[Group, bool, bool], ...] = ()
    """Every group, with what is fresh and what is spent."""

    accumulating: bool = False
    under: Under | None = None
    moves: list[Move | None] = field(default_factory=lambda: [None] * KINDS)
    """The last answer to each kind of call."""

    idle: bool = field(init=False)
    """Nothing is under way, and no deposit waits to be spent: a clear cannot take any away."""

    def __post_init__(self) -> None:
        waits = any(fresh for _, fresh, _ in self.flags)
        self.idle = bool(self.flags) and self.under is None and not waits

    def add(self, kind: int, move: Move) -> None:
        """Remember a move from here, instead of an earlier answer to the same call."""
        others, other = [], self.moves[kind]
        while other is not None:
            if not other.is_same_call(move):
                others.append(other)
            other = other.other
        for one, following in pairwise([move, *others[: MOST - 1]]):
            one.other, following.other = following, None
        self.moves[kind] = move

    def suspend(self, thread: int, deposits: Deposits, steps: Steps) -> None:
        """Take from the observer what is under way."""
        if self.under is None:
            return
        if self.under.number is None:
            deposits.suspend(thread)
        else:
            steps.suspend(thread)

    def restore(self, thread: int, deposits: Deposits, steps: Steps) -> None:
        """Make the observer's state what it would be, had it answered every call itself."""
        for group, fresh, spent in self.flags:
            group.fresh, group.spent, group.synced = fresh, spent, False
        deposits.accumulating = self.accumulating
        if self.under is None:
            return
        place, number, optimizer = self.under
        if number is None or optimizer is None:
            deposits.resume(thread, place)
        else:
            steps.resume(thread, optimizer(), number, place)


NOWHERE = Stand()
"""Where every call is answered by the observer itself."""


def pointer(subject: Any) -> Callable[[], Any]:
    """Return something that returns the subject and does not keep it alive."""
    return _nobody if subject is None else ref(subject)


def all_show(looks: tuple[Look, ...]) -> bool:
    """Make these looks; unless each shows what it is to show, they count as not made."""
    # A look that expects what never comes remembers nothing.
    if any(look.group.representative.look(GONE) is not look.change for look in looks):
        return False
    for look in looks:
        member = look.group.representative
        if look.asks and (
            is_cleared(look.change, member, fresh=look.fresh) is not look.cleared
            or (look.fresh and member.was_written())
        ):
            return False
    for look in looks:
        look.group.representative.look()
    return True


def remember_deposits(looks: tuple[Look, ...]) -> None:
    """Let the next members of the groups that were reached stand for them."""
    for look in looks:
        if look.change is not SAME and look.change is not VANISHED:
            look.group.next_turn()
            look.group.representative.remember_deposit(closely=look.group.closely)


def remembered(
    before: Stand, found: list[tuple[Change, Group]], posted: list[Event], *, asks: bool
) -> tuple[Look, ...] | None:
    """Return the looks that the observer made, unless it saw what it must see for itself."""
    flags = {id(group): (fresh, spent) for group, fresh, spent in before.flags}
    arranged_anew = any(id(group) not in flags for _, group in found)
    if arranged_anew or any(type(event) not in _ANSWERS for event in posted):
        return None
    cleared = [event.parameters for event in posted if isinstance(event, Clear)]
    looks = []
    for change, group in found:
        fresh, spent = flags[id(group)]
        asked = asks and (spent or change is not SAME or (fresh and group.closely))
        if asked and change in (APPEARED, REPLACED):
            return None
        asked = asked and (fresh or change is not VANISHED)
        looks.append(Look(group, change, asked, fresh, spent, group.keys in cleared))
    return tuple(looks)
