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
    next_epoch,
    second_window_of_replicas,
    unsynced_forward_with_buffers,
)
from rank_runs import Team, on_ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MISSING = (
    "LifecycleError: ZG502 ranks-diverge: this rank closes a window, and another does not answer: "
    "it raised, was killed or has fewer windows; let all ranks make the same calls: break, flush() "
    "and step() at the same micro-batch, and as many micro-batches; draw from "
    "gradients.batches(loader) (torch says: "
)


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


def test_a_rank_that_breaks_alone_and_is_gone_is_said_when_the_group_gives_up(
    cut_off: Team,
) -> None:
    first, second = cut_off.run(break_on_one_rank, None)

    assert first.startswith(MISSING)
    assert second == "nothing"


@pytest.mark.parametrize("after", [flush, next_epoch])
def test_a_rank_that_breaks_alone_and_calls_the_engine_is_said_on_all(
    after: Callable[[object], object],
) -> None:
    sentence = (
        "LifecycleError: ZG502 ranks-diverge: rank 1 ends batches() or calls flush() where rank 0 "
        "closes a window; let all ranks make the same calls: break, flush() and step() at the same "
        "micro-batch, and as many micro-batches; draw from gradients.batches(loader)"
    )

    assert on_ranks(2, break_on_one_rank, after) == [sentence] * 2


def test_a_rank_that_passes_over_an_error_of_its_own_is_said_on_all(cut_off: Team) -> None:
    first, second = cut_off.run(error_on_one_rank)

    assert first.startswith(MISSING)
    assert second == (
        "ArgumentError: a batch of batches() had no backward, and the other ranks count on it; "
        "instead of `continue` call gradients.backward(loss, items=0), which deposits nothing"
    )
