"""Random counts, lengths, windows and tails over ranks spend the gradient that fp64 knows."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rank_cases import ROUND_OFF, error_of, true_steps
from rank_runs import on_ranks

THOROUGH = 40 if os.environ.get("ZEROGRAD_ROBUSTNESS") else 1
"""`make robustness` tries more, and others each time."""

pytestmark = pytest.mark.timeout(300 * THOROUGH)

EACH_RUN = settings(
    max_examples=6 * THOROUGH,
    derandomize=THOROUGH == 1,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@st.composite
def trainings(draw: st.DrawFn) -> tuple[str, list[list[int]], int, dict[str, Any]]:
    """Return a kind of model, the items of each rank's micro-batches, a window and options.

    Rank 0 has an item in every micro-batch, so that no window is empty. Only replicas may have
    fewer batches than others, and at least the two windows in which DDP settles its buckets.
    """
    kind = draw(st.sampled_from(["ddp", "fsdp"]))
    accumulate = draw(st.integers(1, 4))
    longer = draw(st.integers(2 * accumulate, 2 * accumulate + 5))
    shorter = draw(st.integers(2 * accumulate, longer)) if kind == "ddp" else longer
    sizes = [
        draw(st.lists(st.integers(1, 7), min_size=longer, max_size=longer)),
        draw(st.lists(st.integers(0, 7), min_size=shorter, max_size=shorter)),
    ]
    options = {
        "tail": draw(st.sampled_from(["step", "drop", "carry"])),
        "sync": draw(st.sampled_from(["window", "micro-batch"])),
        "clip_norm": draw(st.sampled_from([None, 0.5])),
    }
    return kind, sizes, accumulate, options


@EACH_RUN
@given(training=trainings())
def test_a_random_training_over_ranks_spends_what_it_must(
    training: tuple[str, list[list[int]], int, dict[str, Any]],
) -> None:
    kind, sizes, accumulate, options = training

    told = on_ranks(2, partial(error_of, **options), kind, sizes, accumulate)

    assert [same for _, same in told] == [True, True]
    assert max(error for error, _ in told) < ROUND_OFF


def test_one_item_more_would_show() -> None:
    truth, other = true_steps([[4, 2], [3, 5]], 2), true_steps([[4, 2], [3, 6]], 2)

    assert (other - truth).norm() / truth.norm() > ROUND_OFF
