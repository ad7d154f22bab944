"""The steady state: comparing events gives the answers that booking them gives."""

from __future__ import annotations

import doctest
import tracemalloc
from collections import deque
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from traces import (
    assign,
    back,
    build,
    clip,
    closure_step,
    epoch,
    flat,
    scaler_step,
    scaler_update,
    schedule,
    step,
    times,
    unscale,
    update_by_hand,
    use,
    zero,
)

from zerograd.lifecycle import Bookkeeper, Event, Fault, Ledger
from zerograd.lifecycle import ledger as ledger_module

if TYPE_CHECKING:
    from collections.abc import Iterable

    from traces import Trace

BUILT = [build("one", "uv"), build("two", "vw")]
LOOP = (zero("uvw"), back("uv", "a"), step("one"), back("w", "b"), step("two"))

# One object an event, as watch posts them: the same line is the same event.
LINES: list[Trace] = [
    back("uv", "a", constants=(2,), feed="train", drawn=True),
    back("vw", "b", scale=8.0),
    back("w", "b"),
    zero("uv"),
    zero("vw"),
    zero("uvw"),
    step("one", modulo=True),
    step("two", kept="total += loss"),
    scaler_step("two"),
    unscale("two"),
    scaler_update(),
    clip("uvw"),
    schedule("one"),
    epoch("train"),
    assign("u"),
    use("v"),
    update_by_hand("x"),
    back("x", "a"),
    closure_step("one", back("uv", "a")),
]

bodies = st.lists(st.sampled_from(LINES), min_size=1, max_size=8)
programs = st.lists(st.tuples(bodies, st.integers(1, 12)), min_size=1, max_size=4)


def booked(events: Iterable[Event]) -> list[Fault]:
    bookkeeper = Bookkeeper()
    found = [fault for event in events for fault in bookkeeper.book(event)]
    return [*found, *bookkeeper.close(clean=True)]


def posted(events: Iterable[Event]) -> list[Fault]:
    ledger = Ledger()
    found = [fault for event in events for fault in ledger.post(event)]
    return [*found, *ledger.close()]


@settings(max_examples=400, deadline=None)
@given(programs)
def test_the_ledger_finds_what_the_bookkeeper_finds(program: list[tuple[list[Trace], int]]) -> None:
    events = flat([BUILT, *(times(count, body) for body, count in program)])

    assert posted(events) == booked(events)


@settings(max_examples=100, deadline=None)
@given(programs)
def test_events_posted_together_have_the_same_faults(
    program: list[tuple[list[Trace], int]],
) -> None:
    events = flat([BUILT, *(times(count, body) for body, count in program)])
    ledger = Ledger()

    together = [fault for faults in ledger.post_all(events) for fault in faults]

    assert [*together, *ledger.close()] == booked(events)


def test_the_ledgers_own_example_runs() -> None:
    result = doctest.testmod(ledger_module)

    assert result.failed == 0
    assert result.attempted > 0


def rounds_until_steady(ledger: Ledger, events: list[Event]) -> int:
    for lap in range(100):
        for event in events:
            ledger.post(event)
        if ledger._steady is not None:
            return lap
    return 100


def test_a_regular_loop_reaches_a_steady_state_within_ten_rounds() -> None:
    ledger = Ledger()
    flat_loop = flat(LOOP)

    for event in BUILT:
        ledger.post(event)

    assert rounds_until_steady(ledger, flat_loop) < 10


def test_a_discriminator_trained_five_times_as_often_reaches_a_steady_state() -> None:
    ledger = Ledger()
    critic = times(5, zero("uv"), back("uv", "a"), step("one"))

    laps = rounds_until_steady(ledger, flat([critic, zero("w"), back("w"), step("two")]))

    assert laps < 10


def test_an_orphan_that_is_never_cleared_does_not_keep_a_loop_from_a_steady_state() -> None:
    ledger = Ledger()
    ledger.post(build("one", "u"))

    laps = rounds_until_steady(ledger, flat([zero("u"), back("ux"), step("one")]))

    assert laps < 20


def test_a_loop_that_updates_by_hand_reaches_a_steady_state() -> None:
    ledger = Ledger()

    laps = rounds_until_steady(ledger, flat([back("w"), update_by_hand("w"), zero("w")]))

    assert laps < 20


def test_a_loop_with_a_fault_is_booked_each_time() -> None:
    ledger = Ledger()
    ledger.post(build("one", "u"))

    laps = rounds_until_steady(ledger, flat([back("u"), step("one")]))

    assert laps == 100


def test_books_that_never_settle_are_compared_less_and_less_often() -> None:
    ledger = Ledger()
    ledger.post(build("idle", "u"))

    # The window of an optimizer that never steps grows, so no round leaves the books as they were.
    laps = rounds_until_steady(ledger, flat([back("u")]))

    assert laps == 100


def test_the_step_number_of_a_fault_counts_the_rounds_in_the_steady_state() -> None:
    ledger = Ledger()
    for event in flat([BUILT, times(1000, LOOP), back("uv", "a"), step("one")]):
        found = ledger.post(event)

    (fault,) = found
    assert (fault.rule, fault.step) == ("missing-zero", 1001)


def test_rounds_posted_together_stay_in_the_steady_state() -> None:
    ledger = Ledger()

    deque(ledger.post_all(flat([BUILT, times(1000, LOOP)])), maxlen=0)

    assert ledger._laps > 900


def test_whole_rounds_are_passed_at_once_wherever_the_steady_state_was_left() -> None:
    ledger, (first, *others) = Ledger(), flat([LOOP])
    deque(map(ledger.post, flat([BUILT, times(100, LOOP), [first]])), maxlen=0)
    before = ledger._laps

    deque(ledger.post_all([*others, first] * 10), maxlen=0)

    assert (ledger._laps - before, ledger._position) == (10, 1)


def test_a_fault_amid_whole_rounds_is_found_as_one_by_one() -> None:
    together, alone = Ledger(), Ledger()
    calm = flat([BUILT, times(100, LOOP)])
    faulty = flat([times(5, LOOP), back("uv", "a"), step("one"), LOOP])
    deque(map(together.post, calm), maxlen=0)
    deque(map(alone.post, calm), maxlen=0)

    found = list(together.post_all(faulty))

    assert found == [faults for event in faulty if (faults := alone.post(event))]
    assert [fault.rule for faults in found for fault in faults] == ["missing-zero"]


def test_a_fault_among_rounds_posted_together_has_its_step_number() -> None:
    ledger = Ledger()

    events = flat([BUILT, times(1000, LOOP), back("uv", "a"), step("one")])

    *_, (fault,) = ledger.post_all(events)

    assert (fault.rule, fault.step) == ("missing-zero", 1001)


def test_an_event_out_of_turn_is_judged_in_the_begun_round() -> None:
    ledger = Ledger()
    for event in flat([BUILT, times(1000, LOOP), zero("uvw"), back("uv", "a"), zero("uvw")]):
        ledger.post(event)

    (fault,) = ledger.post(step("one"))

    assert fault.rule == "zero-before-step"


def test_the_books_are_up_to_date_in_the_steady_state() -> None:
    ledger = Ledger()
    for event in flat([BUILT, times(1000, LOOP)]):
        ledger.post(event)

    assert ledger.books.owners["two"].steps == 1000


def test_a_long_run_takes_no_more_memory_than_a_short_one() -> None:
    ledger = Ledger()
    # Unequal epochs leave the steady state and reach it again.
    run = flat([times(30, LOOP), epoch("train"), times(7, LOOP), back("w", "b", scale=8.0)])
    events = flat([BUILT, times(30, run)])
    for event in events:
        ledger.post(event)
    tracemalloc.start()
    for event in events:
        ledger.post(event)
    after_one, _ = tracemalloc.get_traced_memory()

    for event in flat(times(3, events)):
        ledger.post(event)

    after_four, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after_four - after_one < 20_000
