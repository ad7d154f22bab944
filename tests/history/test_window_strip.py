"""Windows are kept exactly while they are regular, and within bounds when they are not."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from zerograd.history.strip import OTHERS, WindowStrip


def test_equal_windows_are_one_run_however_many() -> None:
    strip = WindowStrip()

    for _ in range(10_000):
        strip.add(0, 1)

    assert strip.rows() == [[1, 10_000, 0, 1, 1, 10_000]]


def test_another_shape_begins_another_run() -> None:
    strip = WindowStrip()

    for shape in (0, 0, 1, 0):
        strip.add(shape, shape + 1)

    assert strip.rows() == [[1, 2, 0, 1, 1, 2], [3, 1, 1, 2, 2, 2], [4, 1, 0, 1, 1, 1]]


def test_what_is_new_stays_a_run_of_its_own() -> None:
    strip = WindowStrip()

    strip.add(0, 1, kept=True)
    strip.add(0, 1)
    strip.add(0, 1)

    assert [row[:2] for row in strip.rows()] == [[1, 1], [2, 2]]


def test_a_mixed_run_tells_its_shapes_apart() -> None:
    strip = WindowStrip(room=8)

    for step in range(40):
        strip.add(step % 2, 1 + step % 2)

    mixed = next(row for row in strip.rows() if isinstance(row[2], list))
    assert {shape for shape, _ in mixed[2]} == {0, 1}  # type: ignore[attr-defined]
    assert mixed[3:5] == [1, 2]


def test_rare_shapes_of_a_mixed_run_are_counted_together() -> None:
    strip = WindowStrip(room=8)

    for shape in range(400):
        strip.add(shape, 1)

    mixed = next(row for row in strip.rows() if isinstance(row[2], list) and len(row[2]) > 2)
    counts = dict(mixed[2])  # type: ignore[call-overload]
    assert OTHERS in counts
    assert sum(counts.values()) == mixed[1]


@settings(deadline=None)  # a machine may be loaded
@given(st.lists(st.tuples(st.integers(0, 20), st.booleans()), max_size=300))
def test_every_window_is_counted_once_and_in_order(windows: list[tuple[int, bool]]) -> None:
    strip = WindowStrip(room=16)

    for shape, fault in windows:
        strip.add(shape, 1, kept=fault and not any(run.kept for run in strip.runs))

    rows = strip.rows()
    ends = [1 + sum(row[1] for row in rows[:at]) for at in range(len(rows))]  # type: ignore[misc]
    assert [row[0] for row in rows] == ends
    assert sum(row[1] for row in rows) == len(windows)  # type: ignore[misc]
    assert len(rows) <= 18


def test_the_first_and_the_last_windows_of_an_irregular_run_stay_exact() -> None:
    strip = WindowStrip(room=64)

    for step in range(5000):
        strip.add(step % 3, 1)

    rows = strip.rows()
    assert [row[2] for row in rows[:6]] == [0, 1, 2, 0, 1, 2]
    assert [row[2] for row in rows[-2:]] == [4998 % 3, 4999 % 3]
