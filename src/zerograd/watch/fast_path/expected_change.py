"""What a look at the gradients showed when a call was cached, and whether it still does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zerograd.lifecycle import Backward, Clear, Step, Write
from zerograd.watch.fast_path.observer_state import KINDS, NO_PATTERN, PATTERNS, ExpectedLook
from zerograd.watch.gradients.groups import APPEARED, GONE, REPLACED, SAME, TOUCHED, VANISHED
from zerograd.watch.observe.manual_grad_events import is_cleared

if TYPE_CHECKING:
    from zerograd.lifecycle import Event
    from zerograd.watch.fast_path.observer_state import CachedCall, ObserverState
    from zerograd.watch.gradients.groups import GradientChange, GradientGroup

_ANSWERS = (Backward, Clear, Step, Write)
"""What may be posted from memory; that a parameter was written is for the observer to say."""

_NO_DEPOSIT = (SAME, VANISHED)


def all_show(looks: tuple[ExpectedLook, ...]) -> bool:
    """Compare each gradient with its expected change; record the new states only if all match."""
    for group, change, asks, fresh, _, cleared in looks:
        member = group.representative
        # A look that expects what never comes remembers nothing.
        if member.look(GONE) is not change:
            return False
        if asks and (
            is_cleared(change, group, fresh=fresh) is not cleared
            or (fresh and member.was_written())
        ):
            return False
    for look in looks:
        if look.change is not SAME:
            look.group.representative.look()
    return True


def are_together(looks: tuple[ExpectedLook, ...]) -> bool:
    """Whether the next members can answer for the groups that a backward reached."""
    return not any(look.group.is_apart() for look in looks)


def remember_deposits(looks: tuple[ExpectedLook, ...]) -> None:
    """Let the next members of the groups that were reached represent them."""
    for look in looks:
        if look.change not in _NO_DEPOSIT:
            look.group.next_turn()
            look.group.representative.remember_deposit(closely=look.group.closely)


def is_deposit(looks: tuple[ExpectedLook, ...]) -> bool:
    """Whether a backward reached somebody; one that did not makes the observer search."""
    return any(look.change not in _NO_DEPOSIT for look in looks)


def remembered(
    before: ObserverState,
    found: list[tuple[GradientChange, GradientGroup]],
    posted: list[Event],
    *,
    asks: bool,
) -> tuple[ExpectedLook, ...] | None:
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
        was_cleared = group.keys in cleared
        if asked and spent and change is TOUCHED and not was_cleared:
            return None  # scaled or replaced: only the values tell
        asked = asked and (fresh or change is not VANISHED)
        looks.append(ExpectedLook(group, change, asked, fresh, spent, was_cleared))
    return tuple(looks)


def flatten(state: ObserverState, kind: str) -> None:
    """Prepare what the fast path compares, where one look at one group is all."""
    move, which = getattr(state, kind), KINDS.index(kind)
    pattern = _pattern(state, kind, move, *move.looks[0][:3]) if len(move.looks) == 1 else None
    setattr(state, PATTERNS[which], NO_PATTERN[which] if pattern is None else pattern)


def _pattern(
    state: ObserverState,
    kind: str,
    move: CachedCall,
    group: GradientGroup,
    change: GradientChange,
    asks: bool,
) -> tuple[Any, ...] | CachedCall | None:
    held = group.representative.gradient is not None
    if kind == "steps":
        flat = change is SAME and held and not (move.events or move.looks[0].cleared)
        return (move.to, move.subject, move.site, group, asks) if flat else None
    if kind == "begins":
        return _beginning(move, group, change, asks=asks, held=held)
    if asks:
        return None
    if kind == "clears":  # before it all groups are looked at
        flat = change is VANISHED and state.idle and len(state.flags) == 1
        return (move.to, move, move.subject, move.what, move.site, group) if flat else None
    if kind == "ends":
        return _ending(move, group, change)
    return move if change is SAME else None


def _beginning(
    move: CachedCall, group: GradientGroup, change: GradientChange, *, asks: bool, held: bool
) -> tuple[Any, ...] | None:
    """Prepare for a backward onto nothing, or onto the zeros that a clear by hand left there."""
    zeroed = held and move.looks[0].cleared and not move.looks[0].fresh
    if not (zeroed if asks else not held):
        return None
    posts = move if move.events else None
    was_empty, touched = change is SAME, change is TOUCHED
    return (move.to, posts, move.allowance, move.site, group, was_empty, held, touched)


def _ending(
    move: CachedCall, group: GradientGroup, change: GradientChange
) -> tuple[Any, ...] | None:
    """Prepare for a deposit on nothing, or on a gradient that lies there."""
    if change not in (APPEARED, TOUCHED):
        return None
    fed: Any = move.what
    _, drawn, calls = fed
    touches, closely = change is TOUCHED, group.closely
    # A deposit of a new tensor, fed by nothing that we count, whose values nobody asks for.
    plain = not (touches or closely or drawn or calls)
    return (move.to, move, fed, group, plain, len(calls), closely, touches)
