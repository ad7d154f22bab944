"""The way that tests run ranks: it shares a group, and no rank can stop it."""

from __future__ import annotations

import pytest
from rank_functions import (
    fail_on_rank_one,
    place,
    total,
    wait_for_a_rank_that_left,
    wait_forever,
)
from rank_runs import RanksFailedError, Team, on_ranks


def test_a_function_runs_on_every_rank_of_one_group_with_one_thread() -> None:
    assert on_ranks(2, place) == [(0, 2, 1), (1, 2, 1)]


def test_functions_of_one_team_share_its_processes() -> None:
    assert on_ranks(2, total, 10) == [21, 21]
    assert on_ranks(2, total, 20) == [41, 41]


def test_a_rank_that_raises_is_heard() -> None:
    team = Team(2)

    with pytest.raises(RanksFailedError) as caught:
        team.run(fail_on_rank_one)

    assert "rank 1 raised\n" in str(caught.value)
    assert "ValueError: no such batch" in str(caught.value)
    assert not team.is_up


def test_a_rank_that_dies_and_one_that_waits_for_it_are_ended_and_heard() -> None:
    team = Team(2)

    with pytest.raises(RanksFailedError) as caught:
        team.run(wait_for_a_rank_that_left)

    assert "rank 0 is stuck\n" in str(caught.value)
    assert "in wait_for_a_rank_that_left" in str(caught.value)
    assert "rank 1 left with 7\nleaving" in str(caught.value)


def test_ranks_that_wait_for_each_other_forever_are_ended_when_patience_ends() -> None:
    team = Team(2)
    team.run(place)

    with pytest.raises(RanksFailedError) as caught:
        team.run(wait_forever, patience=0.5)

    assert "rank 0 is stuck\n" in str(caught.value)
    assert "rank 1 is stuck\n" in str(caught.value)
