"""Numbers of any length fit into the same room, and keep their extremes."""

from __future__ import annotations

from math import inf, nan

from hypothesis import given, settings
from hypothesis import strategies as st

from zerograd.history import Series


def test_a_short_series_keeps_every_value() -> None:
    series = Series()

    for step, value in enumerate([3.0, 1.0, 2.0], start=1):
        series.add(step, value)

    columns = series.columns()
    assert columns["step"] == [1, 2, 3]
    assert columns["mean"] == [3.0, 1.0, 2.0]


def test_a_full_series_joins_neighbours_and_keeps_lowest_and_highest() -> None:
    series = Series(room=2)

    for step, value in enumerate([1.0, 9.0, 2.0, 4.0], start=1):
        series.add(step, value)

    assert series.columns() == {
        "step": [1, 3],
        "low": [1.0, 2.0],
        "high": [9.0, 4.0],
        "mean": [5.0, 3.0],
        "bad": [0, 0],
    }


def test_what_is_not_finite_is_counted_and_spoils_no_mean() -> None:
    series = Series(room=1)

    for step, value in enumerate([2.0, inf, nan, 4.0], start=1):
        series.add(step, value)

    assert series.columns() == {"step": [1], "low": [2], "high": [4], "mean": [3], "bad": [2]}


def test_a_point_without_a_finite_value_has_no_number() -> None:
    series = Series()

    series.add(1, nan)

    assert series.columns()["mean"] == [None]
    assert series.columns()["low"] == [None]


def test_a_long_run_is_measured_ever_less_often() -> None:
    series = Series(room=8)
    asked = 0

    for step in range(1, 10_001):
        if series.wants(step):
            asked += 1
            series.add(step, 1.0)

    assert asked < 400
    assert len(series.columns()["step"]) <= 8


def test_a_short_run_is_measured_at_every_step() -> None:
    series = Series(room=8)

    wanted = [series.wants(step) for step in range(1, 9)]

    assert wanted == [True] * 8


@settings(deadline=None)  # a machine may be loaded
@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=200), st.integers(1, 16))
def test_no_value_escapes_the_lowest_and_the_highest(values: list[float], room: int) -> None:
    series = Series(room=room)

    for step, value in enumerate(values, start=1):
        series.add(step, value)

    columns = series.columns()
    assert len(columns["step"]) <= room
    assert min(low for low in columns["low"] if low is not None) == float(f"{min(values):.4g}")
    assert max(high for high in columns["high"] if high is not None) == float(f"{max(values):.4g}")
