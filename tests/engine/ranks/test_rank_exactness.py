"""What ranks spend together is the gradient of the mean over all their items."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from rank_cases import MODELS, ROUND_OFF, error_of, refusal
from rank_runs import on_ranks
from rank_scenes import (
    EQUAL,
    SIZES,
    broken_off,
    by_hand,
    carried,
    discarded,
    growing_windows,
    norms,
    over_a_grid,
    over_two_meshes,
    plain_loop,
    several_losses,
    wide_sum,
    without_batches,
)
from rank_traffic import by_engine, by_naive_loop

if TYPE_CHECKING:
    from collections.abc import Callable

both_kinds = pytest.mark.parametrize("kind", ["ddp", "fsdp"])


BF16_ROUND_OFF = 2.0**-8
"""One rounding to bf16."""


def assert_exact(world: int, *arguments: Any, **options: Any) -> None:
    for error, same in on_ranks(world, partial(error_of, **options), *arguments):
        assert error < ROUND_OFF
        assert same


@both_kinds
@pytest.mark.parametrize("sizes", [EQUAL, SIZES], ids=["equal", "unequal"])
@pytest.mark.parametrize("accumulate", [1, 3, 4])
def test_the_gradient_is_that_of_the_whole_batch(kind: str, sizes: Any, accumulate: int) -> None:
    assert_exact(2, kind, sizes, accumulate)


@both_kinds
def test_four_ranks_spend_the_gradient_of_their_joint_batch(kind: str) -> None:
    sizes = [[1, 2, 3, 4], [4, 3, 2, 1], [5, 1, 1, 1], [2, 2, 6, 2]]

    assert_exact(4, kind, sizes, 2)


@both_kinds
def test_the_joint_batch_is_clipped_by_its_own_norm(kind: str) -> None:
    assert_exact(2, kind, SIZES, 4, clip_norm=0.5)


@both_kinds
@pytest.mark.parametrize("accumulate", [1, 2, 4])
def test_equal_micro_batches_are_bit_identical_to_the_hand_written_loop(
    kind: str, accumulate: int
) -> None:
    assert on_ranks(2, plain_loop, kind, accumulate) == [True, True]


@both_kinds
def test_a_micro_batch_without_items_is_run_and_deposits_zeros(kind: str) -> None:
    assert_exact(2, kind, [[4, 0, 3, 2], [1, 2, 3, 0]], 2)


def test_ranks_with_as_many_windows_may_have_fewer_micro_batches() -> None:
    assert_exact(2, "ddp", [[4, 2, 7, 1], [3, 5, 2]], 2)


def test_a_rank_with_fewer_windows_joins_the_others() -> None:
    assert_exact(2, "ddp", [[4, 2, 7, 1, 3, 4, 5], [3, 5, 2, 2]], 2)


LONGER = [[4, 2, 7, 1, 5, 3, 2, 2], [3, 5, 2, 6, 1, 4, 3, 5, 2, 4]]
"""Windows of 3 are (3, 3, 2) and (3, 3, 3, 1) micro-batches."""


def test_ranks_with_fewer_micro_batches_may_reduce_at_each_of_them() -> None:
    assert_exact(2, "ddp", LONGER, 3, sync="micro-batch")


@pytest.mark.parametrize("sync", ["window", "micro-batch"])
@pytest.mark.parametrize("tail", ["drop", "carry"])
def test_a_window_that_some_rank_fills_is_spent_with_what_the_others_have(
    tail: str, sync: str
) -> None:
    assert_exact(2, "ddp", LONGER, 3, tail=tail, sync=sync)


@both_kinds
@pytest.mark.parametrize("tail", ["drop", "carry"])
def test_what_no_rank_fills_is_not_spent(kind: str, tail: str) -> None:
    assert_exact(2, kind, SIZES, 3, tail=tail)


def test_what_is_carried_by_ranks_is_spent_in_the_next_epoch() -> None:
    for error, same, is_open in on_ranks(2, carried, LONGER, 4):
        assert error < ROUND_OFF
        assert same
        assert not is_open


def test_a_tail_that_one_rank_must_not_have_is_refused_on_all() -> None:
    sentence = (
        "ZG203 tail-dropped: the ranks have 8 and 10 batches, which end up to 2 of 4 micro-batches "
        "into a window, and tail='error'; pass tail='step', 'carry' or 'drop', or a loader with "
        "drop_last=True"
    )

    assert on_ranks(2, partial(refusal, tail="error"), "ddp", LONGER, 4) == [sentence] * 2


def test_too_few_batches_to_reduce_at_each_are_refused_on_all() -> None:
    sentence = (
        "the ranks have 4 and 5 batches, and with sync='micro-batch' DDP needs as many "
        "micro-batches of all ranks in the run's first two windows; give every rank more batches, "
        "or the same number: DistributedSampler does"
    )
    sizes = [[1] * 4, [1] * 5]

    assert on_ranks(2, partial(refusal, sync="micro-batch"), "ddp", sizes, 3) == [sentence] * 2


def test_windows_closed_by_hand_with_a_reduction_at_each_micro_batch_need_as_many() -> None:
    sentence = (
        "the ranks have 4 and 5 batches, and with sync='micro-batch' and accumulate=None every "
        "backward is a collective: the rank with more would wait forever; give every rank the same "
        "number, DistributedSampler does"
    )
    sizes = [[1] * 4, [1] * 5]

    assert on_ranks(2, partial(refusal, sync="micro-batch"), "ddp", sizes, None) == [sentence] * 2


def test_windows_may_grow_in_mid_epoch() -> None:
    for error, same in on_ranks(2, growing_windows):
        assert error < ROUND_OFF
        assert same


@pytest.mark.parametrize(("kind", "world"), [("ddp", 2), ("fsdp", 2), ("ddp", 4), ("fsdp", 4)])
def test_the_norm_is_that_of_the_joint_gradient(kind: str, world: int) -> None:
    for found, truth in on_ranks(world, norms, MODELS[kind]):
        assert found == pytest.approx(truth, rel=ROUND_OFF)


@pytest.mark.parametrize("make", [over_a_grid, over_two_meshes])
def test_the_norm_counts_every_shard_once(make: Callable[[], Any]) -> None:
    for found, truth in on_ranks(4, norms, make):
        assert found == pytest.approx(truth, rel=ROUND_OFF)


@both_kinds
@pytest.mark.parametrize("accumulate", [1, 4, 8])
def test_only_the_closing_micro_batch_reduces(kind: str, accumulate: int) -> None:
    engine = on_ranks(2, by_engine, kind, accumulate, "window")
    naive = on_ranks(2, by_naive_loop, kind)

    assert naive[0] > 0
    assert [accumulate * spent for spent in engine] == naive


@both_kinds
def test_every_micro_batch_reduces_where_it_is_told_to(kind: str) -> None:
    engine = on_ranks(2, by_engine, kind, 4, "micro-batch")

    assert engine == on_ranks(2, by_naive_loop, kind)
    assert_exact(2, kind, SIZES, 4, sync="micro-batch")


def test_sums_in_fp32_are_reduced_in_fp32() -> None:
    for wide, narrow, same in on_ranks(2, wide_sum):
        assert wide < BF16_ROUND_OFF < narrow
        assert same


def test_a_window_closed_by_hand_is_reduced_by_the_engine() -> None:
    for error, same in on_ranks(2, by_hand, "ddp"):
        assert error < ROUND_OFF
        assert same


@both_kinds
def test_windows_need_no_batches(kind: str) -> None:
    for error, same in on_ranks(2, without_batches, kind):
        assert error < ROUND_OFF
        assert same


@both_kinds
def test_several_losses_make_one_micro_batch(kind: str) -> None:
    assert max(on_ranks(2, several_losses, kind)) < ROUND_OFF


def test_a_break_on_all_ranks_leaves_nothing_unreduced() -> None:
    for sentence, same, error in on_ranks(2, broken_off, "ddp"):
        assert sentence == "nothing"
        assert same
        assert error < ROUND_OFF


def test_a_break_under_fsdp_cannot_be_stepped() -> None:
    for sentence, same, _ in on_ranks(2, broken_off, "fsdp"):
        assert sentence == (
            "LifecycleError: ZG501 never-synced: this window of 3 micro-batches closes after a "
            "backward that FSDP2 was told not to reduce, and it reduces inside backwards only; "
            "draw from gradients.batches(loader), call gradients.discard() first, or pass "
            "sync='micro-batch'"
        )
        assert same


@both_kinds
def test_a_discarded_window_leaves_no_sum_behind(kind: str) -> None:
    assert max(on_ranks(2, discarded, kind)) < ROUND_OFF
