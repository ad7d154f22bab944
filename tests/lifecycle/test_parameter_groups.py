"""Parameter groups: parameters share an account until an event tells them apart."""

from __future__ import annotations

from itertools import combinations, islice

from zerograd.lifecycle import Backward, Called, Clear, Construct, Dispose, Ledger, State
from zerograd.lifecycle.parameter_groups import ParameterGroups


def sets(groups: ParameterGroups) -> set[frozenset[object]]:
    return {frozenset(group.parameters) for group in groups}


def test_parameters_that_come_together_are_one_group() -> None:
    groups = ParameterGroups()

    (group,) = groups.touching(frozenset("abc"))

    assert groups.touching(frozenset("abc")) == (group,)
    assert sets(groups) == {frozenset("abc")}


def test_an_event_on_a_part_splits_a_group() -> None:
    groups = ParameterGroups()
    groups.touching(frozenset("abc"))

    groups.touching(frozenset("bd"))

    assert sets(groups) == {frozenset("ac"), frozenset("b"), frozenset("d")}


def test_both_halves_of_a_split_group_keep_its_account_and_its_owners() -> None:
    ledger = Ledger()
    ledger.post(Construct("built", "sgd", frozenset("ab")))
    ledger.post(Backward("loss", frozenset("ab"), "loss"))

    ledger.post(Clear("zero", frozenset("a")))

    states = {"".join(map(str, c.parameters)): c.account.state for c in ledger.books.groups}
    assert states == {"a": State.DISCARDED, "b": State.FRESH}
    assert [len(group.owners) for group in ledger.books.groups] == [1, 1]


def test_halves_of_a_split_group_go_their_own_ways() -> None:
    ledger = Ledger()
    ledger.post(Backward("loss", frozenset("ab"), "loss"))
    ledger.post(Backward("loss", frozenset("a"), "loss"))

    counts = {tuple(c.parameters): c.account.lots["loss"].count for c in ledger.books.groups}

    assert counts == {("a",): 2, ("b",): 1}


def test_sets_that_vary_without_end_are_not_all_remembered() -> None:
    groups = ParameterGroups()

    for routed in islice(combinations(range(20), 4), 3000):
        groups.touching(frozenset(routed))

    assert len(groups._by_set) <= 1024


def test_parameters_that_no_longer_exist_are_forgotten() -> None:
    groups = ParameterGroups()
    groups.touching(frozenset("abc"))

    groups.forget(frozenset("ab"))

    assert sets(groups) == {frozenset("c")}


def test_modules_that_are_made_for_ever_are_forgotten_with_their_parameters() -> None:
    ledger = Ledger()
    ledger.post(Backward("loss", frozenset({"kept"}), "loss"))
    ledger.post(Called("call", "kept", (frozenset({"kept"}),)))

    for number in range(1000):
        ledger.post(Called("call", number, (frozenset({number}),)))
        ledger.post(Backward("loss", frozenset({number}), "loss"))
        ledger.post(Dispose(None, parameters=frozenset({number})))

    assert len(ledger.books.modules) <= 256
    assert "kept" in ledger.books.modules
