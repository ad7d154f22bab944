"""How events move an abstract account: the lifecycle's table on what is surely there."""

from __future__ import annotations

from zerograd.lint.events.accounts.account import AbstractAccount, Deposit, ThrownDeposit

KEPT = 8
"""Distinct deposits and clears remembered in one account."""


def deposit(account: AbstractAccount, source: int, *, scaled: bool) -> AbstractAccount:
    """Book a backward that surely reaches the account."""
    if account.frozen:
        return account
    known = {item.source: item for item in account.fresh}
    again = source in known
    made = Deposit(source, again, known[source].used if again else False, scaled=scaled)
    fresh = (*(item for item in account.fresh if item.source != source), made)
    return account._replace(
        fresh=fresh[-KEPT:], none=False, moved=True, begun=True, part=frozenset()
    )


def maybe_deposit(account: AbstractAccount) -> AbstractAccount:
    """Book a backward that may reach the account: what was sure stays sure."""
    if account.frozen:
        return account
    return account._replace(extra=True, none=None, moved=True, begun=True)


def clear(
    account: AbstractAccount, event: int, *, keeps_zeros: bool | None, fills: bool = False
) -> AbstractAccount:
    """Everything is gone; what was unspent was thrown away."""
    lost = tuple(
        ThrownDeposit(item.source, event, item.used, item.rival >= 0) for item in account.fresh
    )
    none = None if keeps_zeros is None else not keeps_zeros
    if keeps_zeros and not fills and account.none is True:
        none = True
    return account._replace(
        fresh=(),
        stale=(),
        extra=False,
        none=none,
        thrown=kept(account, lost),
        part=frozenset(),
        written=False,
    )


def kept(account: AbstractAccount, lost: tuple[ThrownDeposit, ...]) -> tuple[ThrownDeposit, ...]:
    """Return what clears threw away with a few more, each once and the newest last."""
    older = [
        item
        for item in account.thrown
        if not any(item.source == new.source and item.clear == new.clear for new in lost)
    ]
    return (*older, *lost)[-KEPT:]


def keep_followed(account: AbstractAccount) -> AbstractAccount:
    """Forget what was thrown away if it may never have been the account's own."""
    return account._replace(thrown=tuple(item for item in account.thrown if not item.unfollowed))


def maybe_clear(account: AbstractAccount) -> AbstractAccount:
    """Book a clear that may have happened: nothing is sure any more."""
    return account._replace(fresh=(), stale=(), extra=True, none=None, moved=True, thrown=())


def forget(account: AbstractAccount) -> AbstractAccount:
    """Something that cannot be seen happened."""
    return AbstractAccount(extra=True, moved=True, begun=account.begun, frozen=account.frozen)


def step(account: AbstractAccount, event: int) -> AbstractAccount:
    """Everything fresh is spent; a new window begins."""
    spent = tuple(sorted({*account.stale, *(item.source for item in account.fresh)}))[-KEPT:]
    return account._replace(
        fresh=(),
        stale=spent,
        thrown=(),
        moved=False,
        written=False,
        spender=event,
        early_clip=-1,
        good_clip=False,
    )


def write(account: AbstractAccount, *, assigns: bool) -> AbstractAccount:
    """Book a write by hand: an assignment replaces, anything else changes what is there."""
    used = tuple(item._replace(used=True) for item in account.fresh)
    thrown = tuple(item._replace(used=True) for item in account.thrown)
    if assigns:
        return account._replace(
            fresh=(), stale=(), extra=True, none=False, moved=True, written=True, thrown=thrown
        )
    # On fresh deposits it changes their value. On anything else one cannot tell a multiple, which
    # leaves nothing nothing and stale stale, from `copy_`, which puts something fresh there.
    stale = account.stale if account.fresh else ()
    extra = account.extra or not account.fresh
    return account._replace(
        fresh=used, stale=stale, extra=extra, thrown=thrown, moved=True, written=True
    )


def use(account: AbstractAccount) -> AbstractAccount:
    """Something made use of the deposits: throwing them away is no loss."""
    used = tuple(item._replace(used=True) for item in account.fresh)
    return account._replace(fresh=used)


def spent_elsewhere(
    account: AbstractAccount, sources: frozenset[int], event: int
) -> AbstractAccount:
    """Another optimizer's step spent the same backward."""
    if not any(item.source in sources for item in account.fresh):
        return account
    fresh = tuple(
        item._replace(rival=event) if item.source in sources else item for item in account.fresh
    )
    return account._replace(fresh=fresh)


def clip(account: AbstractAccount, event: int) -> AbstractAccount:
    """Book a clip; one that finds nothing fresh is remembered until the step."""
    if not account.fresh:
        found = account.early_clip if account.extra else event
        return account._replace(early_clip=found)
    fresh = tuple(item._replace(clipped=True) for item in account.fresh)
    return account._replace(fresh=fresh, good_clip=True)


def unscale(account: AbstractAccount) -> AbstractAccount:
    """Take the loss scale off what lies here."""
    return account._replace(fresh=tuple(item._replace(scaled=False) for item in account.fresh))
