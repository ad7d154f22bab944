"""Detect what the script did by hand between two torch calls: clears, writes and updates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from zerograd.lifecycle import Clear, ManualUpdate, Use, Write, Writing
from zerograd.watch.gradients.groups import (
    APPEARED,
    REPLACED,
    REWRITTEN,
    SAME,
    TOUCHED,
    VANISHED,
    moved_down,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from zerograd.lifecycle import Event
    from zerograd.source.lines import CallSite
    from zerograd.watch.gradients.groups import GradientChange, GradientGroup
    from zerograd.watch.gradients.sampling import Sampling
    from zerograd.watch.observe.rescale_detection import SpentSamples

_WRITINGS = {
    APPEARED: Writing.ASSIGN,
    REPLACED: Writing.ASSIGN,
    TOUCHED: Writing.OVERWRITE,
    REWRITTEN: Writing.OVERWRITE,
}


class PostsEvents(Protocol):
    """Who keeps one object for each event, and knows how closely to look and what was spent."""

    sampling: Sampling
    stepped: set[int]
    spent: SpentSamples

    def event(self, kind: Callable[..., Event], *fields: Hashable, **more: Hashable) -> Event:
        """Return the one event object of this kind and content."""

    def moved_again(self, keys: frozenset[int]) -> bool:
        """Whether parameters that no optimizer has stepped yet went down before already."""


def handwork(
    change: GradientChange, group: GradientGroup, place: CallSite, poster: PostsEvents
) -> Iterator[Event]:
    """Yield the events that explain a change which no torch call explains.

    If parameter and gradient both changed, it was an update and then a clear.
    """
    if change is SAME and not (group.fresh or group.spent):
        return
    cleared = is_cleared(change, group, fresh=group.fresh)
    if group.fresh and group.representative.was_written():
        yield from _update(group, place, poster)
    if cleared:
        kept, assigned = change is TOUCHED, change is APPEARED or change is REPLACED
        yield poster.event(Clear, place, group.keys, keeps_graph=kept, assigned=assigned)
        group.fresh = group.spent = False
    elif change is not SAME:
        # Spent gradients that were only scaled are spent still: what is deposited on them is stale.
        in_place = change is TOUCHED or change is REWRITTEN
        group.spent = group.spent and in_place and poster.spent.is_scaled(group)
        how = Writing.RESCALE if group.spent else _WRITINGS[change]
        yield poster.event(Write, place, group.keys, how)
    if change is not SAME or cleared:
        poster.sampling.surprise(group)


def is_cleared(change: GradientChange, group: GradientGroup, *, fresh: bool) -> bool:
    """Whether somebody cleared a gradient that was not empty when it was last seen."""
    if change is VANISHED:
        return True
    member = group.representative
    if member.was_zero is False:
        return member.holds_zero()
    # It may always have been zero: a loss can be flat, a critic's last bias gets nothing. Silence
    # is the safe reading of what is fresh; of what is spent, all members are asked.
    return not fresh and all(one.holds_zero() for one in group.members)


def _update(group: GradientGroup, place: CallSite, poster: PostsEvents) -> Iterator[Event]:
    # An optimizer that was built and is never stepped leaves the parameters to who moves them.
    by_hand = group.owners.isdisjoint(poster.stepped) and moved_down(group.representative)
    # Once may be a perturbation that is taken back before the first step, as in SAM.
    by_hand = by_hand and (not group.owners or poster.moved_again(group.keys))
    group.representative.remember_value()
    # What several backwards left in a model beside the tensors that an optimizer trains is not what
    # moves the model afterwards: an edit of its weights. One that follows each backward may be.
    edited, group.beside = group.beside > 1, 0
    if edited or (group.owners and not by_hand):
        yield poster.event(Use, place, group.keys)
    else:
        yield poster.event(ManualUpdate, place, group.keys)
        group.fresh, group.spent = False, True
