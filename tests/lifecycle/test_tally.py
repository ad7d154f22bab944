"""The tally: one entry a rule and place, however often it happened."""

from __future__ import annotations

from zerograd.lifecycle import Fault, Severity, Tally


def fault(severity: Severity = Severity.ERROR, *, place: str = "here", step: int = 1) -> Fault:
    return Fault(rule="missing-zero", severity=severity, place=place, step=step)


def test_equal_rules_at_one_place_are_counted() -> None:
    tally = Tally()

    tally.add([fault(step=2), fault(step=3), fault(step=7)])

    (entry,) = tally
    assert (entry.count, entry.first_step, entry.last_step) == (3, 2, 7)


def test_two_places_are_two_entries() -> None:
    tally = Tally()

    tally.add([fault(), fault(place="there")])

    assert len(tally) == 2


def test_the_gravest_occurrence_speaks_for_all() -> None:
    hint, error, warning = fault(Severity.HINT), fault(Severity.ERROR), fault(Severity.WARNING)
    tally = Tally()

    tally.add([hint, error, warning])

    (entry,) = tally
    assert entry.fault is error


def test_a_fault_is_known_once_it_was_added_at_its_place() -> None:
    tally = Tally()

    tally.add([fault()])

    assert tally.knows(fault(step=9))
    assert not tally.knows(fault(place="there"))


def test_an_entry_is_found_by_any_of_its_faults() -> None:
    tally = Tally()

    tally.add([fault(step=1), fault(step=4)])

    assert tally.entry(fault(step=4)).count == 2


def test_what_happens_again_in_a_new_chapter_is_counted_anew() -> None:
    tally = Tally()
    tally.add([fault(step=2), fault(step=3), fault(place="there", step=3)])

    tally.begin_chapter()
    tally.add([fault(step=8)])

    counted = [(one.fault.place, one.count, one.first_step, one.is_past) for one in tally]
    assert counted == [("here", 1, 8, False), ("there", 1, 3, True)]


def test_what_an_earlier_chapter_had_is_new_in_this_one() -> None:
    tally = Tally()
    tally.add([fault()])

    tally.begin_chapter()

    assert not tally.knows(fault())
