"""Layer: accounts. How one event moves what surely lies in an optimizer's gradients."""

from __future__ import annotations

from zerograd.lint.events.accounts import EMPTY, UNKNOWN, AbstractAccount, transitions


def deposited(*sources: int, scaled: bool = False) -> AbstractAccount:
    account = EMPTY
    for source in sources:
        account = transitions.deposit(account, source, scaled=scaled)
    return account


def test_a_deposit_is_fresh() -> None:
    account = deposited(1)

    assert [item.source for item in account.fresh] == [1]
    assert account.none is False


def test_the_same_deposit_twice_is_one_that_lies_there_many_times() -> None:
    assert [(item.source, item.many) for item in deposited(1, 1).fresh] == [(1, True)]


def test_two_sources_lie_side_by_side_the_oldest_first() -> None:
    assert [item.source for item in deposited(2, 1).fresh] == [2, 1]


def test_a_deposit_of_unknown_reach_leaves_what_was_sure_and_makes_more_possible() -> None:
    account = transitions.maybe_deposit(deposited(1))

    assert [item.source for item in account.fresh] == [1]
    assert account.extra


def test_a_frozen_account_takes_no_deposit() -> None:
    frozen = EMPTY._replace(frozen=True)

    assert transitions.deposit(frozen, 1, scaled=False) == frozen
    assert transitions.maybe_deposit(frozen) == frozen


def test_a_step_makes_fresh_deposits_stale() -> None:
    account = transitions.step(deposited(1), 9)

    assert (account.fresh, account.stale, account.spender) == ((), (1,), 9)


def test_a_deposit_on_a_stale_one_leaves_both() -> None:
    account = transitions.deposit(transitions.step(deposited(1), 9), 1, scaled=False)

    assert ([item.source for item in account.fresh], account.stale) == ([1], (1,))


def test_a_clear_empties_and_remembers_what_it_threw_away() -> None:
    account = transitions.clear(deposited(1), 5, keeps_zeros=False)

    assert account.empty
    assert [(item.source, item.clear, item.used) for item in account.thrown] == [(1, 5, False)]


def test_a_clear_after_the_step_throws_nothing_away() -> None:
    account = transitions.clear(transitions.step(deposited(1), 9), 5, keeps_zeros=False)

    assert account.empty
    assert account.thrown == ()


def test_what_was_used_is_thrown_away_as_used() -> None:
    account = transitions.clear(transitions.use(deposited(1)), 5, keeps_zeros=False)

    assert [item.used for item in account.thrown] == [True]


def test_a_clear_of_an_unknown_account_makes_it_known_again() -> None:
    assert transitions.clear(UNKNOWN, 5, keeps_zeros=False).empty


def test_a_clear_that_may_have_happened_leaves_nothing_sure() -> None:
    account = transitions.maybe_clear(deposited(1))

    assert (account.fresh, account.extra) == ((), True)


def test_zeros_in_place_of_none_stay_none() -> None:
    assert transitions.clear(EMPTY, 5, keeps_zeros=True).none is True


def test_zeros_put_there_are_no_longer_none() -> None:
    assert transitions.clear(EMPTY, 5, keeps_zeros=True, fills=True).none is False


def test_an_assignment_replaces_everything_by_something_unknown() -> None:
    account = transitions.write(deposited(1), assigns=True)

    assert (account.fresh, account.extra, account.written) == ((), True, True)


def test_a_write_in_place_keeps_fresh_deposits_and_marks_them_used() -> None:
    account = transitions.write(deposited(1), assigns=False)

    assert [(item.source, item.used) for item in account.fresh] == [(1, True)]


def test_a_write_in_place_on_stale_deposits_leaves_nothing_sure() -> None:
    account = transitions.write(transitions.step(deposited(1), 9), assigns=False)

    assert (account.stale, account.extra) == ((), True)


def test_another_optimizers_step_marks_the_deposit_as_spent_elsewhere() -> None:
    account = transitions.spent_elsewhere(deposited(1, 2), frozenset({1}), 7)

    assert [(item.source, item.rival) for item in account.fresh] == [(1, 7), (2, -1)]


def test_a_clip_that_finds_nothing_is_remembered_until_the_step() -> None:
    account = transitions.clip(EMPTY, 3)

    assert account.early_clip == 3
    assert transitions.step(account, 9).early_clip == -1


def test_a_clip_of_fresh_deposits_is_a_good_one() -> None:
    account = transitions.clip(deposited(1), 3)

    assert (account.early_clip, account.good_clip) == (-1, True)


def test_a_clip_of_what_may_be_there_is_no_early_one() -> None:
    assert transitions.clip(UNKNOWN, 3).early_clip == -1


def test_unscaling_takes_the_scale_off() -> None:
    assert [item.scaled for item in deposited(1, scaled=True).fresh] == [True]
    assert [item.scaled for item in transitions.unscale(deposited(1, scaled=True)).fresh] == [False]


def test_what_cannot_be_seen_leaves_nothing_known_but_whether_it_was_frozen() -> None:
    account = transitions.forget(deposited(1)._replace(frozen=True))

    assert (account.fresh, account.extra, account.frozen) == ((), True, True)
