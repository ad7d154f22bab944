"""One abstract account: the deposits that surely lie in it, and whether more may."""

from __future__ import annotations

from typing import NamedTuple


class Deposit(NamedTuple):
    """A deposit that surely lies in the account and that no step has spent."""

    source: int
    """The number of the event that made it."""

    many: bool = False
    """Made more than once since the last clear."""

    used: bool = False
    """Something besides this account's own step made use of it."""

    rival: int = -1
    """Another account's step that has spent the same backward."""

    scaled: bool = False
    """Carries a loss scale that nothing has removed."""

    clipped: bool = False


class ThrownDeposit(NamedTuple):
    """A deposit that a clear threw away unspent."""

    source: int
    clear: int
    used: bool
    shared: bool = False
    """Another account's step had spent the same backward."""

    unfollowed: bool = False
    """Nobody knows whether the backward reached the account: any later one may be meant for it."""


class AbstractAccount(NamedTuple):
    """What is known of one optimizer's gradients at one point of one path."""

    fresh: tuple[Deposit, ...] = ()
    """Unspent deposits, oldest first."""

    stale: tuple[int, ...] = ()
    """Sources of deposits that this account's step has spent and nothing has cleared."""

    extra: bool = False
    """More may lie here than is known."""

    none: bool | None = None
    """`.grad` is None for sure; False: a tensor for sure."""

    thrown: tuple[ThrownDeposit, ...] = ()
    """What clears threw away since the last step."""

    moved: bool = False
    """Something was or may have been deposited or written since the last step."""

    begun: bool = False
    """There was a deposit before."""

    written: bool = False
    frozen: bool = False
    part: frozenset[tuple[str, ...]] = frozenset()
    """What a clear that covers only some of the parameters has cleared so far."""

    spender: int = -1
    """The step that made the stale deposits stale."""

    early_clip: int = -1
    """A clip since the last step that found nothing to clip."""

    good_clip: bool = False
    """A clip since the last step that found fresh deposits."""

    @property
    def empty(self) -> bool:
        """Nothing lies here, and that is certain."""
        return not (self.fresh or self.stale or self.extra)


EMPTY = AbstractAccount(none=True)
UNKNOWN = AbstractAccount(extra=True, moved=True)
