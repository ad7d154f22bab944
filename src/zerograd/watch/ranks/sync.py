"""Tell whether one deposit was reduced over the ranks, and by whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from zerograd.source.lines import CallSite


class Sync(NamedTuple):
    """Whether a deposit was reduced over the ranks, and what decided it."""

    synced: bool | None = None
    """Reduced over the ranks; None when nobody can say, or when there is one rank."""

    place: CallSite | None = None
    """The context or flag that decided it."""

    bypass: CallSite | None = None
    """The call of the bare module, past its wrapper."""


ALONE = Sync()


def alone(keys: frozenset[int]) -> Sync:
    """Answer for a process without others."""
    del keys
    return ALONE
