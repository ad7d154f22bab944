"""Ranks count their items without making a device wait for the host."""

from __future__ import annotations

import pytest
import torch
from rank_cases import ROUND_OFF
from rank_reads import counts_on_the_device, counts_on_the_host, no_stalls, shallow_truth, wide_sums
from rank_runs import on_ranks

both_kinds = pytest.mark.parametrize("kind", ["ddp", "fsdp"])


@both_kinds
def test_counts_that_are_numbers_never_touch_the_device(kind: str) -> None:
    for error, same in on_ranks(2, counts_on_the_host, kind):
        assert error < ROUND_OFF
        assert same


def test_counts_that_only_a_device_knows_are_summed_there_and_not_read() -> None:
    for error, same in on_ranks(2, counts_on_the_device):
        assert error < 16 * ROUND_OFF
        assert same


def test_a_window_more_or_less_would_show() -> None:
    assert shallow_truth() > ROUND_OFF


def test_which_wide_sums_are_reduced_is_told_on_the_host() -> None:
    # The engine's messages are fp64; the model and its sums are not.
    assert on_ranks(2, wide_sums) == [({torch.float64}, True)] * 2


def test_a_read_and_a_copy_are_refused_by_the_mode_of_these_tests() -> None:
    with no_stalls(), pytest.raises(AssertionError, match="a tensor was read on the host"):
        float(torch.ones(()))
    with no_stalls(), pytest.raises(AssertionError, match="copies between"):
        torch.ones(3).to("meta")
