"""What a look at the gradients showed, and whether it shows the same again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zerograd.lifecycle import Backward, Clear, Step, Write
from zerograd.watch.handwork import is_cleared
from zerograd.watch.members import APPEARED, GONE, REPLACED, SAME, VANISHED
from zerograd.watch.stands import KINDS, PATTERNS

if TYPE_CHECKING:
    from zerograd.lifecycle import Event
    from zerograd.watch.members import Change, Group
    from zerograd.watch.stands import Stand

_ANSWERS = (Backward, Clear, Step, Write)
"""What may be posted from memory; that a parameter was written is for the observer to say."""

_NO_DEPOSIT = (SAME, VANISHED)


class Look(NamedTuple):
    """What a group showed, and has to show again."""

    group: Group
    change: Change
    asks: bool
    """Whether its values are asked too: was it cleared, was its parameter written?"""

    fresh: bool
    spent: bool
    cleared: bool


def all_show(looks: tuple[Look, ...]) -> bool:
    """Make these looks; unless each shows what it is to show, they count as not made."""
    for group, change, asks, fresh, _, cleared in looks:
        member = group.representative
        # A look that expects what never comes remembers nothing.
        if member.look(GONE) is not change:
            return False
        if asks and (
            is_cleared(change, member, fresh=fresh) is not cleared
            or (fresh and member.was_written())
        ):
            return False
    for look in looks:
        if look.change is not SAME:
            look.group.representative.look()
    return True


def remember_deposits(looks: tuple[Look, ...]) -> None:
    """Let the next members of the groups that were reached stand for them."""
    for look in looks:
        if look.change not in _NO_DEPOSIT:
            look.group.next_turn()
            look.group.representative.remember_deposit(closely=look.group.closely)


def is_deposit(looks: tuple[Look, ...]) -> bool:
    """Whether a backward reached somebody; one that did not makes the observer search."""
    return any(look.change not in _NO_DEPOSIT for look in looks)


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


def flatten(stand: Stand, kind: str) -> None:
    """Prepare what the lane compares, where one plain look is all."""
    move = getattr(stand, kind)
    pattern = None
    if len(move.looks) == 1 and not move.looks[0].asks:
        group, change = move.looks[0][:2]
        held = group.representative.gradient is not None
        if kind == "clears" and change is VANISHED and stand.idle and len(stand.flags) == 1:
            pattern = (move, move.subject, move.what, *move.site[:3], group)
        elif kind == "begins" and not held and change in _NO_DEPOSIT:
            move.empty = change is SAME
            pattern = (move, move.allowance, *move.site, group)
        elif kind == "ends" and change is APPEARED and not group.closely:
            pattern = (move, *move.what, group, len(group.members) - 1)
        elif kind == "steps" and change is SAME and held and not move.events:
            pattern = (move, move.subject, *move.site, group)
        elif kind == "stepped" and change is SAME:
            pattern = move
    setattr(stand, PATTERNS[KINDS.index(kind)], pattern)
