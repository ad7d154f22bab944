"""The facts of a step as the abstract account shows them: yes, no, or resting on an assumption."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.lifecycle.verdicts.facts import StepFacts
from zerograd.lifecycle.verdicts.verdict import Unknown, both, shown
from zerograd.lint.checks.evidence.case import trail
from zerograd.lint.events.event import SourceEvent
from zerograd.lint.interpret.backward_reach import reach_of
from zerograd.lint.knowledge import CallEffect
from zerograd.lint.values.parameter_sets import covers

if TYPE_CHECKING:
    from zerograd.lifecycle.verdicts.verdict import Fact
    from zerograd.lint.checks.evidence.case import Case
    from zerograd.lint.events.accounts import Deposit
    from zerograd.lint.interpret.apply_event import Observation


def step_facts(seen: Observation, case: Case) -> StepFacts:
    """Return what a step met in one account on one path.

    An abstract account is one optimizer's: either it holds spent deposits only or it is mixed, so
    that "another account of it" never holds others. Worked example, a loop that never clears: the
    first round meets `fresh=(backward,)` and nothing stale, so every fact that accuses is no. The
    second round meets `stale=(backward,), fresh=(backward,)`: `holds_mixed` is yes.
    """
    account = seen.account
    unfollowed = _unfollowed(seen, case)
    only_spent = bool(account.stale) and not account.fresh
    return StepFacts(
        empty=True if account.empty else _unless(account.fresh or account.stale, unfollowed),
        holds_spent=(only_spent and not account.extra and not account.moved)
        or _unless(account.fresh, unfollowed),
        spent_by_itself=True,
        holds_mixed=_holds_mixed(seen, case, unfollowed),
        holds_others=False,
        left_the_model=False,
        written=account.written,
        zeros_given=_zeros_given(seen, case),
        deposited=_deposited(seen, case),
        thrown_away=_thrown_away(seen, case),
        used=any(item.used for item in account.thrown),
        spent_elsewhere=_spent_elsewhere(seen, case),
        left_behind=_left_behind(seen, case),
        newest_is_its_own=_newest_is_its_own(account.fresh, case),
        ever_deposited=account.begun,
        deposited_elsewhere=_deposited_elsewhere(seen),
        flushes=False,
        skipped=False,
        nothing_in_the_run=False,
    )


def _zeros_given(seen: Observation, case: Case) -> bool:
    """Tell whether zeros are assigned to gradients between the last step and this one.

    In a loop the last step may be this very line: what stands before it, comes after it too.
    """
    last, now = seen.account.spender, seen.event.number
    clears = [event for event in case.touching(seen.at, CallEffect.CLEAR) if event.fills]
    return any(last < event.number < now or event.number < now <= last for event in clears)


def _unless(known: object, unfollowed: Fact) -> Fact:
    return False if known else unfollowed


def _unfollowed(seen: Observation, case: Case) -> Fact:
    """Return an unknown if no path to this step can be followed; else other paths are judged."""
    lost = all(other.account.extra for other in case.meetings(seen.event, seen.at))
    return Unknown("account-followed") if lost else False


def _holds_mixed(seen: Observation, case: Case, unfollowed: Fact) -> Fact:
    account, at = seen.account, seen.at
    if not (account.stale and account.fresh):
        return unfollowed
    return both(
        shown(bool(own_deposits(seen, case)), "deposit-is-its-own"),
        shown(any(case.owned(source, at) for source in account.stale), "deposit-is-its-own"),
        shown(not account.written, "not-written"),
    )


def own_deposits(seen: Observation, case: Case) -> list[Deposit]:
    """Return the fresh deposits that surely are this account's."""
    return [item for item in seen.account.fresh if case.owned(item.source, seen.at)]


def _is_idle(seen: Observation) -> bool:
    account = seen.account
    return account.empty and not account.thrown and not account.moved and not account.frozen


def _deposited(seen: Observation, case: Case) -> Fact:
    """Tell whether a backward reached the account since the last step, on any path to this one."""
    account = seen.account
    if account.thrown or account.moved:
        return True
    if account.frozen:
        return Unknown("not-frozen")
    others = [item for item in case.meetings(seen.event, seen.at) if item.account.begun]
    return False if all(map(_is_idle, others)) else Unknown("on-every-path")


def _deposited_elsewhere(seen: Observation) -> bool:
    """Tell whether a backward since the last step reached others, and not this account."""
    for step in trail(seen.state.trail):
        event = step.what
        if not isinstance(event, SourceEvent):
            continue
        if event.number == seen.account.spender:
            break
        if event.effect is CallEffect.DEPOSIT and seen.at not in (*event.must, *event.may):
            return True
    return False


def _thrown_away(seen: Observation, case: Case) -> Fact:
    thrown = seen.account.thrown
    if not thrown:
        return False
    return both(
        shown(all(case.owned(item.source, seen.at) for item in thrown), "deposit-is-its-own"),
        shown(_takes_all(case.event(thrown[-1].clear), seen, case), "clear-is-its-own"),
    )


def _takes_all(clear: SourceEvent, seen: Observation, case: Case) -> bool:
    """Tell whether a clear leaves nothing of what was thrown away.

    `model.body.zero_grad()` before the step keeps the body still and lets the head move: where
    nobody knows what the optimizer holds, the clear must cover what the loss went through.
    """
    if clear.everything:
        # A clear over a list that cannot be told from a part of it.
        return False
    if clear.targets or clear.atoms is None or case.holder(seen.at).atoms is not None:
        return True
    deposits = [case.event(item.source) for item in seen.account.thrown]
    reached = [reach_of(event, case.plan, case.resolver).atoms for event in deposits]
    return all(bool(atoms) and covers(clear.atoms, atoms or frozenset()) for atoms in reached)


def _spent_elsewhere(seen: Observation, case: Case) -> bool:
    """Tell whether another optimizer spent what was thrown away, unless the step comes at once."""
    thrown = seen.account.thrown
    if not any(item.shared for item in thrown):
        return False
    return not _is_next(case.event(thrown[-1].clear), seen.event, case)


def _is_next(clear: SourceEvent, step: SourceEvent, case: Case) -> bool:
    """Tell whether nothing but other clears and steps stands between the two."""
    between = case.plan.events[clear.number + 1 : step.number]
    return (
        step.number > clear.number
        and step.context == clear.context
        and all(event.effect in (CallEffect.CLEAR, CallEffect.STEP) for event in between)
    )


def older_rivals(seen: Observation) -> list[Deposit]:
    """Return the deposits under the newest that another optimizer's step has spent."""
    return [item for item in seen.account.fresh[:-1] if item.rival >= 0]


def _left_behind(seen: Observation, case: Case) -> Fact:
    older = older_rivals(seen)
    if not older or _alone_sometimes(older[0], seen, case):
        return False
    return both(
        shown(not seen.account.written, "not-written"),
        shown(seen.at not in case.event(older[0].source).weak, "reach-is-sure"),
    )


def _alone_sometimes(older: Deposit, seen: Observation, case: Case) -> bool:
    """Tell whether the source is also spent here when no rival has spent it."""
    return any(
        item.source == older.source and item.rival < 0
        for other in case.meetings(seen.event, seen.at)
        for item in other.account.fresh
    )


def _newest_is_its_own(fresh: tuple[Deposit, ...], case: Case) -> bool:
    """Tell whether no other optimizer spends the newest backward: then it is a joint loss."""
    if not fresh or fresh[-1].rival >= 0:
        return False
    spenders = {
        seen.at
        for seen in case.steps()
        for item in seen.account.fresh
        if item.source == fresh[-1].source and item.rival < 0
    }
    return len(spenders) < 2
