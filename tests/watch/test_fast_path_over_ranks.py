"""With other ranks too a calm loop is answered from memory, and what happens late is seen."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
import rank_stories as stories
from rank_runs import on_ranks
from rank_stories import frames_of_a_calm_step, rides_again_after, rides_while_it_logs, told

if TYPE_CHECKING:
    from collections.abc import Callable

    from rank_stories import Loop

LATE = {
    stories.nothing: [],
    stories.a_step_without_a_reduction: ["never-synced"],
    stories.a_flag_after_the_forward: ["never-synced"],
    stories.the_bare_module: ["wrapper-bypassed"],
    stories.every_micro_batch_reduced: ["sync-each-micro-batch"],
    stories.a_clear_that_is_left_out: ["missing-zero"],
    stories.a_rank_that_parts: [],
    stories.a_gradient_reduced_by_hand: [],
    stories.a_loss_reduced_for_the_log: [],
    stories.a_second_wrapper: [],
    stories.a_wrapper_that_is_gone: ["never-synced"],
    stories.another_optimizer: [],
    stories.a_backward_that_fails: [],
    stories.a_step_that_fails: [],
}
"""What may happen late, and the rules that a rank finds broken by itself."""

LASTING = [
    *(stories.a_step_without_a_reduction, stories.the_bare_module),
    *(stories.a_loss_reduced_for_the_log, stories.a_wrapper_that_is_gone),
]
"""What leaves the wrappers in another state than they were."""


@pytest.mark.parametrize(("late", "rules"), LATE.items(), ids=[late.__name__ for late in LATE])
def test_what_ranks_find_and_write_down_is_as_if_nothing_had_been_remembered(
    late: Callable[[Loop], None], rules: list[str]
) -> None:
    remembered = on_ranks(2, told, late)
    computed = on_ranks(2, partial(told, remembers=False), late)

    assert remembered == computed
    assert [one.split(": ")[1].split()[1] for one in remembered[0].findings] == rules


def test_ranks_are_compared_at_the_same_steps_as_ever() -> None:
    story, _ = on_ranks(2, told, stories.nothing)

    sampled = [*range(1, 9), *range(10, 17, 2), *range(20, 33, 4), *range(40, 65, 8)]
    steps = [one["held"]["step"] for one in story.held if "held" in one]
    assert steps == [
        *sampled,
        80,
        96,
        112,
        128,
        160,
    ]


def test_a_rank_that_parts_late_holds_other_parameters_at_the_next_comparison() -> None:
    zero, one = on_ranks(2, told, stories.a_rank_that_parts)

    differs = [
        a["held"]["step"]
        for a, b in zip(zero.held, one.held, strict=True)
        if a != b and "held" in a
    ]
    assert differs == [160]


def test_steps_that_were_answered_and_not_counted_would_be_noticed() -> None:
    remembered = on_ranks(2, told, stories.nothing)

    uncounted = on_ranks(2, partial(told, counts=False), stories.nothing)

    assert remembered != uncounted


@pytest.mark.parametrize("late", LASTING, ids=lambda late: late.__name__)
def test_a_loop_is_calm_again_after(late: Callable[[Loop], None]) -> None:
    assert on_ranks(2, rides_again_after, late) == [True, True]


def test_a_loss_that_is_reduced_for_the_log_disturbs_nobody() -> None:
    assert on_ranks(2, rides_while_it_logs) == [True, True]


def test_a_calm_step_over_ranks_costs_seven_frames() -> None:
    for frames in on_ranks(2, frames_of_a_calm_step):
        assert frames == [
            # `call` is the guard that keeps our own mistakes out of the program.
            *("zero_grad", "_set_attribute", "call", "wrapper_called"),
            *("run_backward", "before_step", "after_step"),
        ]
