"""Cells: parameters share an account until an event tells them apart."""

from __future__ import annotations

from itertools import combinations, islice

from zerograd.lifecycle import Backward, Called, Clear, Construct, Dispose, Ledger, State
from zerograd.lifecycle.cells import Cells


def sets(cells: Cells) -> set[frozenset[object]]:
    return {frozenset(cell.parameters) for cell in cells}


def test_parameters_that_come_together_are_one_cell() -> None:
    cells = Cells()

    (cell,) = cells.touching(frozenset("abc"))

    assert cells.touching(frozenset("abc")) == (cell,)
    assert sets(cells) == {frozenset("abc")}


def test_an_event_on_a_part_splits_a_cell() -> None:
    cells = Cells()
    cells.touching(frozenset("abc"))

    cells.touching(frozenset("bd"))

    assert sets(cells) == {frozenset("ac"), frozenset("b"), frozenset("d")}


def test_both_halves_of_a_split_cell_keep_its_account_and_its_owners() -> None:
    ledger = Ledger()
    ledger.post(Construct("built", "sgd", frozenset("ab")))
    ledger.post(Backward("loss", frozenset("ab"), "loss"))

    ledger.post(Clear("zero", frozenset("a")))

    states = {"".join(map(str, c.parameters)): c.account.state for c in ledger.books.cells}
    assert states == {"a": State.DISCARDED, "b": State.FRESH}
    assert [len(cell.owners) for cell in ledger.books.cells] == [1, 1]


def test_halves_of_a_split_cell_go_their_own_ways() -> None:
    ledger = Ledger()
    ledger.post(Backward("loss", frozenset("ab"), "loss"))
    ledger.post(Backward("loss", frozenset("a"), "loss"))

    counts = {tuple(c.parameters): c.account.lots["loss"].count for c in ledger.books.cells}

    assert counts == {("a",): 2, ("b",): 1}


def test_sets_that_vary_without_end_are_not_all_remembered() -> None:
    cells = Cells()

    for routed in islice(combinations(range(20), 4), 3000):
        cells.touching(frozenset(routed))

    assert len(cells._by_set) <= 1024


def test_parameters_that_no_longer_exist_are_forgotten() -> None:
    cells = Cells()
    cells.touching(frozenset("abc"))

    cells.forget(frozenset("ab"))

    assert sets(cells) == {frozenset("c")}


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
