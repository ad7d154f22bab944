"""What ranks write down at some steps, and what a reader of all of it concludes."""

from __future__ import annotations

from typing import Any

import torch

from zerograd.findings import Finding, Location
from zerograd.findings.record import to_record
from zerograd.rules import find_rule
from zerograd.severity import Severity
from zerograd.watch.ranks.checksums import checksums, is_sampled, until_sampled
from zerograd.watch.ranks.comparing import partings
from zerograd.watch.ranks.naming import listed


def finding(name: str = "ranks-diverge") -> Finding:
    """Return what a rank would report at its step."""
    return Finding(
        rule=find_rule(name),
        severity=Severity.ERROR,
        location=Location("train.py", 9),
        message="m",
    )


def held(step: int, gradients: list[int], parameters: list[int], **more: Any) -> dict[str, Any]:
    """Return what one rank wrote down at one step."""
    first = {"finding": to_record(finding()), "names": ["weight", "bias"]} if step == 1 else {}
    record = {"key": "wrapper 0", "ranks": [0, 1], "step": step, "place": 0}
    return {**record, "gradients": gradients, "parameters": parameters, **first, **more}


def test_ranks_that_hold_alike_are_no_finding() -> None:
    alike = [held(1, [5, 6], [7, 8]), held(2, [9, 10], [11, 12])]

    assert partings({0: alike, 1: alike}, ()) == []


def test_the_first_gradient_that_differs_is_named() -> None:
    zero, one = [held(1, [5, 6], [7, 8])], [held(1, [5, 3], [7, 8])]

    (found,) = partings({0: zero, 1: one}, ())

    assert found.message == (
        "rank 1 spends other gradients than rank 0; `bias` is the first that differs"
    )
    assert (found.count, found.first_step, found.process) == (1, 1, "ranks 0 and 1")


def test_parameters_that_part_later_say_until_when_they_were_alike() -> None:
    zero = [held(1, [5, 6], [7, 8]), held(2, [5, 6], [1, 2]), held(4, [5, 6], [1, 2])]
    one = [held(1, [5, 6], [7, 8]), held(2, [5, 6], [3, 2]), held(4, [5, 6], [3, 2])]

    (found,) = partings({0: zero, 1: one}, ())

    assert found.message == (
        "rank 1 holds other parameters than rank 0, alike until step 1; "
        "`weight` is the first that differs"
    )
    assert (found.count, found.first_step, found.last_step) == (2, 2, 4)


def test_parameters_that_never_were_alike_were_not_sent_to_all() -> None:
    everyone = {"ranks": [0, 1, 2]}
    zero = [held(1, [5, 6], [7, 8], **everyone)]
    other = [held(1, [5, 6], [0, 8], **everyone)]

    (found,) = partings({0: zero, 1: other, 2: other}, ())

    assert found.message == (
        "ranks 1 and 2 hold other parameters than rank 0 from the first step on; "
        "`weight` is the first that differs"
    )
    assert found.help == "send one rank's parameters to all before the first step"


def test_a_step_that_a_rank_did_not_reach_is_not_compared() -> None:
    zero = [held(1, [5, 6], [7, 8]), held(2, [1, 1], [1, 1])]

    assert partings({0: zero, 1: zero[:1]}, ()) == []


def test_ranks_that_share_nothing_are_not_compared() -> None:
    left = [held(1, [5, 6], [7, 8], ranks=[0, 2])]
    right = [held(1, [1, 2], [3, 4], ranks=[1, 3])]

    assert partings({0: left, 1: right, 2: left, 3: right}, ()) == []


def test_two_models_that_part_on_one_line_are_one_finding() -> None:
    zero = [held(1, [5, 6], [7, 8]), held(1, [5, 6], [7, 8], key="wrapper 1")]
    one = [held(1, [5, 3], [7, 8]), held(1, [5, 3], [7, 8], key="wrapper 1")]

    assert len(partings({0: zero, 1: one}, ())) == 1


def test_a_window_that_was_never_synced_explains_why_ranks_part() -> None:
    zero, one = [held(1, [5, 6], [7, 8])], [held(1, [5, 3], [7, 8])]

    assert partings({0: zero, 1: one}, [finding("never-synced")]) == []


def test_ranks_are_listed_in_words() -> None:
    assert listed([3]) == "rank 3"
    assert listed([1, 0]) == "ranks 0 and 1"
    assert listed(range(8)) == "ranks 0 to 7"
    assert listed([0, 2, 3, 4, 6]) == "ranks 0, 2 to 4 and 6"


def test_steps_are_sampled_ever_more_rarely_and_by_their_number_alone() -> None:
    sampled = [step for step in range(1, 65) if is_sampled(step)]

    assert sampled == [*range(1, 9), 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64]


def test_the_steps_until_the_next_sample_are_counted() -> None:
    counted = [step + until_sampled(step) + 1 for step in range(300)]

    assert counted == [
        next(later for later in range(step + 1, 400) if is_sampled(later)) for step in range(300)
    ]


def test_a_checksum_is_of_bits_and_of_whatever_layout() -> None:
    values = torch.arange(6.0).reshape(2, 3)

    sums = checksums([values, values.t(), values.clone(), values + 1e-6, None])

    assert sums[0] == sums[1] == sums[2]
    assert sums[3] != sums[0]
    assert sums[4] is None


def test_what_has_no_bits_of_its_own_has_no_checksum() -> None:
    sparse = torch.eye(2).to_sparse()
    meta = torch.empty(2, device="meta")

    assert checksums([sparse, meta, torch.ones(2, dtype=torch.complex64)])[:2] == [None, None]
