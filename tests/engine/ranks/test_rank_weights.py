"""Over ranks, too, weights do not pass through 16 bits, and SAM climbs by the finished gradient."""

from __future__ import annotations

import pytest
from rank_runs import on_ranks
from rank_weights import error_of_16_bit_losses, error_of_ascents, refusal_of_a_closure


@pytest.mark.parametrize("kind", ["ddp", "fsdp"])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_16_bit_losses_are_weighted_where_their_gradients_arrive(kind: str, reduction: str) -> None:
    for error, same in on_ranks(2, error_of_16_bit_losses, kind, reduction):
        assert error < 1e-6
        assert same


@pytest.mark.parametrize("kind", ["ddp", "fsdp"])
def test_an_ascent_and_its_step_are_given_the_gradient_of_all_ranks(kind: str) -> None:
    for error, same in on_ranks(2, error_of_ascents, kind):
        assert error < 1e-6
        assert same


def test_a_closure_over_ranks_is_refused() -> None:
    for sentence in on_ranks(2, refusal_of_a_closure):
        assert sentence == (
            "step(closure) would evaluate on each rank by itself; over ranks hand the gradient "
            "over: gradients.spend(optimizer.first_step, advance=False), then "
            "gradients.spend(optimizer.second_step)"
        )
