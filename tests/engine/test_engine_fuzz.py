"""Random loops, counts, dtypes, tails, joins and threads spend the gradient that fp64 knows."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from engine_fuzz import Program
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from torch import Tensor, nn

THOROUGH = 50 if os.environ.get("ZEROGRAD_ROBUSTNESS") else 1
"""`make robustness` tries more, and others each time."""

pytestmark = pytest.mark.timeout(300 * THOROUGH)


def examples(count: int) -> settings:
    """Few enough for each run, and then the same in each of them."""
    return settings(
        max_examples=count * THOROUGH,
        derandomize=THOROUGH == 1,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


@examples(120)
@given(seed=st.integers(0, 2**32))
def test_a_random_program_spends_what_it_must(seed: int) -> None:
    program = Program(seed)

    program.run()

    assert program.faults == []


@examples(8)
@given(seed=st.integers(0, 2**32))
def test_random_programs_in_threads_do_not_know_of_each_other(seed: int) -> None:
    programs = [Program(seed + offset) for offset in range(3)]

    with ThreadPoolExecutor(3) as pool:
        for running in [pool.submit(program.run) for program in programs]:
            running.result()

    assert [program.faults for program in programs] == [[], [], []]


def test_a_program_whose_gradient_is_moved_a_little_is_told_so_the_tests_above_can_fail() -> None:
    program = Program(3)
    compare = program._compare_one

    def moved(parameter: nn.Parameter, exact: Tensor, *rest: object) -> None:
        compare(parameter, exact * 1.1 + 0.01, *rest)  # type: ignore[arg-type]

    program._compare_one = moved  # type: ignore[assignment, method-assign]
    program.run()

    assert program.windows > 0
    assert program.faults != []
