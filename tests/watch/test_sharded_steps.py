"""Distributed tensors are looked at where they lie: no rank waits for one that is not watched."""

from __future__ import annotations

from rank_runs import Team
from sharded_steps import train_sharded


def test_one_watched_rank_of_two_makes_no_other_wait() -> None:
    team = Team(2)

    watched, bare = team.run(train_sharded, 0, patience=60.0), team.run(train_sharded, -1)
    team.stop()

    assert watched == bare
