"""Beyond data parallel: replicas of shards (HSDP) and shards of parallel tensors, four ranks."""

from __future__ import annotations

import pytest
from rank_cases import ROUND_OFF
from rank_meshes import (
    discarded_in_mid_window,
    nan_in_one_part,
    of_parallel_tensors,
    reductions,
    replicas_of_shards,
    saved_in_mid_window,
    scatters_without_replicas,
    true_norm,
)
from rank_runs import on_ranks


@pytest.mark.parametrize("sync", ["window", "micro-batch", "shards"])
def test_replicas_of_shards_spend_the_gradient_of_their_joint_batch(sync: str) -> None:
    assert max(on_ranks(4, replicas_of_shards, sync)) < ROUND_OFF


@pytest.mark.parametrize(
    ("sync", "expected"), [("window", (4, 4)), ("micro-batch", (16, 16)), ("shards", (16, 4))]
)
def test_shards_may_be_reduced_at_each_micro_batch_and_replicas_once_a_window(
    sync: str, expected: tuple[int, int]
) -> None:
    assert on_ranks(4, reductions, sync) == [expected] * 4


def test_a_discarded_window_leaves_no_scattered_sum_behind() -> None:
    assert max(on_ranks(4, discarded_in_mid_window)) < ROUND_OFF


def test_a_scattered_sum_cannot_be_saved() -> None:
    sentence = (
        "LifecycleError: ZG104 leaked-deposit: FSDP2 keeps the sum of an open window on private "
        "tensors, which no state_dict() holds; save after a step, or pass sync='micro-batch'"
    )

    assert on_ranks(4, saved_in_mid_window) == [sentence] * 4


def test_shards_without_replicas_are_told_that_there_is_nothing_to_put_off() -> None:
    sentence = (
        "ArgumentError: sync='shards' reduces inside each replica at every micro-batch, and this "
        "model has one replica; shard it over a mesh of two dimensions, or write sync='window' or "
        "'micro-batch'"
    )

    assert on_ranks(2, scatters_without_replicas) == [sentence] * 2


@pytest.mark.parametrize("clip", [1e9, 0.5])
def test_parallel_tensors_spend_the_gradient_of_their_joint_batch(clip: float) -> None:
    truth = true_norm()

    for error, items, norms in on_ranks(4, of_parallel_tensors, clip):
        assert error < ROUND_OFF
        assert items == [10, 10]
        assert norms[0] == pytest.approx(truth, rel=2 * ROUND_OFF)


def test_nan_in_the_part_of_one_rank_is_skipped_by_all() -> None:
    assert on_ranks(4, nan_in_one_part) == [[True, False, True]] * 4
