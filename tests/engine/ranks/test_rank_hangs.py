"""Where ranks would wait for each other forever, the engine joins, refuses or says who is missing.

Each naive way is shown to wait, by the timeout of its group; that of torch is half an hour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rank_cases import refusal
from rank_features import joined_with_buffers
from rank_hangs import (
    break_on_one_rank,
    error_on_one_rank,
    fewer_micro_batches,
    flush,
    fourth_forward_of_shards,
    items_on_one_rank,
    next_epoch,
    nothing,
    resumed_apart,
    saying_when_killed,
    second_window_of_replicas,
    shorter_than_it_says,
    unsynced_forward_with_buffers,
)
from rank_runs import RanksFailedError, Team, on_ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

UNANSWERED = (
    "and another does not answer: it raised, was killed or has fewer windows; let all ranks make "
    "the same calls: break, flush() and step() at the same micro-batch, and as many micro-batches; "
    "draw from gradients.batches(loader) (torch says: "
)
MISSING = f"LifecycleError: ZG502 ranks-diverge: this rank closes a window, {UNANSWERED}"


@pytest.fixture(scope="module")
def cut_off() -> Iterator[Team]:
    """Ranks of these tests alone: what is cut stays broken, and meshes share their groups."""
    team = Team(2)
    yield team
    team.stop()


def test_a_fourth_forward_of_shards_waits_for_a_rank_with_three(cut_off: Team) -> None:
    assert cut_off.run(fourth_forward_of_shards) == [True, False]


def test_four_and_three_micro_batches_are_refused_under_fsdp() -> None:
    sentence = (
        "the ranks have 4 and 3 batches, and under FSDP2 every forward is a collective: the rank "
        "with more would wait forever; give every rank the same number, DistributedSampler does"
    )

    assert on_ranks(2, refusal, "fsdp", [[1] * 4, [1] * 3], 2) == [sentence] * 2


def test_a_second_window_of_replicas_waits_for_a_rank_without_one(cut_off: Team) -> None:
    assert cut_off.run(second_window_of_replicas) == [True, False]


def test_a_rank_without_a_second_window_is_refused_under_ddp() -> None:
    sentence = (
        "the ranks have 7 and 2 batches, which is 4 and 1 windows, and DDP needs all ranks in the "
        "run's first two windows; give every rank more batches, or the same number: "
        "DistributedSampler does"
    )

    assert on_ranks(2, refusal, "ddp", [[1] * 7, [1] * 2], 2) == [sentence] * 2


def test_a_forward_with_buffers_waits_for_a_rank_without_one_even_unsynced(
    cut_off: Team,
) -> None:
    assert cut_off.run(unsynced_forward_with_buffers) == [False, True]


def test_a_rank_joins_although_buffers_are_broadcast_in_forward() -> None:
    assert on_ranks(2, joined_with_buffers) == [(8, True), (8, True)]


def test_fewer_micro_batches_without_batches_are_said_when_the_group_gives_up(
    cut_off: Team,
) -> None:
    first, second = cut_off.run(fewer_micro_batches)

    assert first.startswith(MISSING)
    assert second == "nothing"


@pytest.mark.parametrize("items", [4, None])
def test_a_rank_that_breaks_alone_and_is_gone_is_said_when_the_group_gives_up(
    items: int | None,
    cut_off: Team,
) -> None:
    first, second = cut_off.run(break_on_one_rank, nothing, items)

    assert first.startswith(MISSING)
    assert second == "nothing"


@pytest.mark.parametrize("after", [flush, next_epoch])
def test_a_rank_that_breaks_alone_and_calls_the_engine_hears_where_the_others_are(
    after: Callable[[object], object], cut_off: Team
) -> None:
    first, second = cut_off.run(break_on_one_rank, after, 4)

    assert first.startswith(MISSING)
    assert second == (
        "LifecycleError: ZG502 ranks-diverge: rank 1 ends batches() or calls flush() where rank 0 "
        "closes a window; let all ranks make the same calls: break, flush() and step() at the same "
        "micro-batch, and as many micro-batches; draw from gradients.batches(loader)"
    )


@pytest.mark.parametrize("after", [flush, next_epoch])
def test_it_hears_so_when_the_group_gives_up_where_no_count_is_told(
    after: Callable[[object], object], cut_off: Team
) -> None:
    first, second = cut_off.run(break_on_one_rank, after, None)

    assert first.startswith(MISSING)
    assert second.startswith(
        "LifecycleError: ZG502 ranks-diverge: this rank ends batches() or calls flush(), "
        f"{UNANSWERED}"
    )


@pytest.mark.parametrize("items", [4, None])
def test_a_loader_shorter_than_it_says_is_refused_and_missed(
    items: int | None, cut_off: Team
) -> None:
    first, second = cut_off.run(shorter_than_it_says, items)

    assert first.startswith(MISSING)
    assert second == (
        "ArgumentError: the loader handed out 6 batches of its length of 8, and the other ranks "
        "wait for the rest; correct its __len__"
    )


def test_a_killed_rank_is_said_on_the_others_at_once() -> None:
    team = Team(2)

    with pytest.raises(RanksFailedError, match="rank 1 left with -9") as failed:
        team.run(saying_when_killed)

    assert MISSING in str(failed.value)


def test_items_on_some_ranks_are_refused_on_all() -> None:
    sentence = (
        "LifecycleError: ZG502 ranks-diverge: 1 of 2 ranks give items= to their first deposit and "
        "the others do not, so that there is no count of all items; give items= on all ranks or "
        "none"
    )

    assert on_ranks(2, items_on_one_rank) == [sentence] * 2


def test_ranks_that_resume_at_different_places_are_refused(tmp_path: Path) -> None:
    sentence = (
        "LifecycleError: ZG502 ranks-diverge: the ranks continue at batch 3 and 2, and must train "
        "in step; let all ranks load checkpoints of one moment, and make the same calls"
    )

    assert on_ranks(2, resumed_apart, str(tmp_path)) == [sentence] * 2


def test_a_rank_that_passes_over_an_error_of_its_own_is_said_on_all(cut_off: Team) -> None:
    first, second = cut_off.run(error_on_one_rank)

    assert first.startswith(MISSING)
    assert second == (
        "ArgumentError: a batch of batches() had no backward, and the other ranks count on it; "
        "instead of `continue` call gradients.backward(loss, items=0), which deposits nothing"
    )
