"""Over ranks, too, the weight of a micro-batch does not pass through 16 bits."""

from __future__ import annotations

import pytest
from rank_runs import on_ranks
from rank_weights import error_of_16_bit_losses


@pytest.mark.parametrize("kind", ["ddp", "fsdp"])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_16_bit_losses_are_weighted_where_their_gradients_arrive(kind: str, reduction: str) -> None:
    for error, same in on_ranks(2, error_of_16_bit_losses, kind, reduction):
        assert error < 1e-6
        assert same
