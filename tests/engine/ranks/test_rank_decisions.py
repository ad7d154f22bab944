"""One rank's NaN is every rank's; a run is saved and taken up by each rank for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rank_resumes import (
    damaged_state,
    from_distributed_checkpoint,
    from_files,
    loaded_by_another_rank,
    saved_in_a_private_sum,
    saved_to_one_path,
)
from rank_runs import on_ranks
from rank_scenes import left_as_found, nan_of_two_kinds, nonfinite, scaled

if TYPE_CHECKING:
    from pathlib import Path

both_kinds = pytest.mark.parametrize("kind", ["ddp", "fsdp"])
two_and_four = pytest.mark.parametrize("world", [2, 4])


@both_kinds
def test_nan_on_one_rank_is_skipped_by_all(kind: str) -> None:
    assert on_ranks(2, nonfinite, kind, "skip") == [([True, False, True, True], True, True)] * 2


def test_nan_of_whatever_bits_in_the_first_window_is_no_lost_reduction() -> None:
    outcome = ([False, True, True, True], True, True)

    assert on_ranks(2, nonfinite, "ddp", "skip", nan_of_two_kinds) == [outcome] * 2


@both_kinds
def test_nan_on_one_rank_propagates_to_all_where_nobody_looks(kind: str) -> None:
    for applied, _, is_finite in on_ranks(2, nonfinite, kind, "propagate"):
        assert applied == [True] * 4
        assert not is_finite


@both_kinds
def test_nan_on_one_rank_is_raised_on_all(kind: str) -> None:
    for sentence, same, is_finite in on_ranks(2, nonfinite, kind, "raise"):
        assert sentence.startswith(
            "window 2 has gradients that are not finite, and was not applied: 0.weight"
        )
        assert same
        assert is_finite


@both_kinds
@two_and_four
def test_scalers_stay_equal_over_an_overflow_on_one_rank(kind: str, world: int) -> None:
    for applied, states, same in on_ranks(world, scaled, kind):
        assert applied == [True, False, True, True]
        assert [(state["scale"], state["_growth_tracker"]) for state in states] == [
            (512.0, 2)
        ] * world
        assert same


@both_kinds
@two_and_four
def test_a_run_cut_in_mid_window_ends_bit_identical(kind: str, world: int, tmp_path: Path) -> None:
    assert on_ranks(world, from_files, kind, str(tmp_path)) == [True] * world


@both_kinds
@two_and_four
def test_it_does_through_a_distributed_checkpoint_too(
    kind: str, world: int, tmp_path: Path
) -> None:
    assert on_ranks(world, from_distributed_checkpoint, kind, str(tmp_path)) == [True] * world


def test_ranks_that_save_to_one_name_leave_a_whole_file_of_one_of_them(tmp_path: Path) -> None:
    answers = on_ranks(2, saved_to_one_path, str(tmp_path))

    assert sorted(sentence for sentence, _ in answers) in (
        [REFUSED.format(rank, 1 - rank), "nothing"] for rank in range(2)
    )
    assert [same for _, same in answers] == [True, True]
    assert [one.name for one in tmp_path.iterdir()] == ["run.pt"]


REFUSED = (
    "CheckpointError: run.pt: this is rank {} of 2, and the state is that of rank {} of 2; let "
    "each of as many ranks load what it saved itself"
)


def test_a_damaged_state_of_a_rank_is_refused() -> None:
    assert on_ranks(2, damaged_state) == [
        f"CheckpointError: the state of rank {rank} of 2 is damaged; build the same model and "
        "optimizers first"
        for rank in range(2)
    ]


def test_a_sum_on_private_tensors_cannot_be_saved() -> None:
    sentence = (
        "LifecycleError: ZG104 leaked-deposit: FSDP2 keeps the sum of an open window on private "
        "tensors, which no state_dict() holds; save after a step, or pass sync='micro-batch'"
    )

    assert on_ranks(2, saved_in_a_private_sum) == [sentence] * 2


def test_the_state_of_another_rank_is_refused() -> None:
    first, _ = on_ranks(2, loaded_by_another_rank)

    assert first == (
        "CheckpointError: this is rank 0 of 2, and the state is that of rank 1 of 2; let each of "
        "as many ranks load what it saved itself"
    )


def test_an_engine_leaves_the_model_as_it_found_it() -> None:
    assert on_ranks(2, left_as_found) == [(True, 0), (True, 0)]
