"""Layer: searches in text. None takes quadratic time, whatever stands in a line."""

from __future__ import annotations

import pytest

from zerograd.lint.checks.bypass import BY_HAND
from zerograd.lint.checks.scheduler_in_window import RUN

MANY = 200_000
"""With a quadratic search these take minutes; with a linear one, a fraction of a second."""


@pytest.mark.timeout(60)
@pytest.mark.parametrize("line", ["epochs " * MANY, "*" * MANY, "epochs * " + "* " * MANY])
def test_a_schedules_length_is_read_in_linear_time(line: str) -> None:
    assert bool(RUN.search(line)) is ("epochs *" in line)


@pytest.mark.timeout(60)
def test_a_search_for_reductions_by_hand_is_linear() -> None:
    assert BY_HAND.search("all_reduce(" * MANY) is None


@pytest.mark.parametrize(
    ("length", "counts"),
    [
        ("len(loader) * epochs", True),
        ("epochs * len(loader)", True),
        ("args.epochs * n // k", True),
        ("n * args.num_epochs", True),
        ("epochs", False),
        ("len(loader) * 3", False),
        ("epoch_size * 3", False),
    ],
)
def test_a_length_that_is_counted_over_the_epochs(length: str, counts: bool) -> None:
    assert bool(RUN.search(length)) is counts


@pytest.mark.parametrize(
    ("text", "reduces"),
    [
        ("dist.all_reduce(p.grad)", True),
        ("dist.all_reduce(\n    p.grad\n)", True),
        ("dist.all_reduce(loss)\np.grad = None", False),
        ("average_gradients(model)", True),
    ],
)
def test_gradients_that_are_reduced_by_hand(text: str, reduces: bool) -> None:
    assert bool(BY_HAND.search(text)) is reduces
