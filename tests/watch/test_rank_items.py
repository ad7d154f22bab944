"""Ranks whose gradients are means over different numbers of items, compared from their journals."""

from __future__ import annotations

from typing import Any

from zerograd.findings import Finding, Location
from zerograd.findings.record import to_record
from zerograd.rules import find_rule
from zerograd.severity import Severity
from zerograd.watch.ranks.item_shares import unequal_ranks


def finding(line: int = 9) -> Finding:
    return Finding(
        rule=find_rule("unequal-micro-batches"),
        severity=Severity.WARNING,
        location=Location("train.py", line),
        message="m",
    )


def counted(items: list[float], share: float = 1.0) -> list[dict[str, Any]]:
    """Return what one rank wrote down at its first steps."""
    same = {"key": "wrapper 0", "ranks": [0, 1], "place": 0, "share": share}
    records = [{**same, "step": step, "items": count} for step, count in enumerate(items, start=1)]
    return [{**records[0], "finding": to_record(finding())}, *records[1:]]


def test_ranks_of_different_counts_that_weigh_alike_are_a_finding() -> None:
    (found,) = unequal_ranks({0: counted([8.0, 6.0]), 1: counted([56.0, 40.0])}, ())

    assert found.message == (
        "the ranks weigh alike although their gradients are means over 7 to 48 items, so that an "
        "item counts 0.57x to 3.9x as much as it should; how far the gradient is off is not "
        "measured, because ranks reduce it in the backward"
    )
    assert (found.count, found.first_step, found.process) == (2, 1, "ranks 0 and 1")


def test_equal_counts_are_no_finding() -> None:
    assert unequal_ranks({0: counted([8.0, 6.0]), 1: counted([8.0, 6.0])}, ()) == []


def test_ranks_that_weigh_by_their_counts_are_right() -> None:
    weighed = {0: counted([8.0, 8.0], 0.25), 1: counted([56.0, 56.0], 1.75)}

    assert unequal_ranks(weighed, ()) == []


def test_one_step_is_no_habit() -> None:
    assert unequal_ranks({0: counted([8.0, 8.0]), 1: counted([56.0, 8.0])}, ()) == []


def test_counts_near_to_each_other_hardly_matter() -> None:
    assert unequal_ranks({0: counted([50.0, 50.0]), 1: counted([56.0, 56.0])}, ()) == []


def test_a_rank_without_a_record_leaves_the_step_uncompared() -> None:
    assert unequal_ranks({0: counted([8.0, 8.0]), 1: counted([56.0])}, ()) == []


def test_what_a_window_shows_already_is_not_said_twice() -> None:
    differing = {0: counted([8.0, 6.0]), 1: counted([56.0, 40.0])}

    assert unequal_ranks(differing, [finding()]) == []
