"""What a finding shows: the way to it, the callers, an identity that survives moving lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.lint import Analysis

HELPER = """\
    def update(loss):
        loss.backward()
        optimizer.step()

    for x, y in loader:
        update((model(x) - y).square().mean())
"""


def test_a_fault_in_a_helper_stands_there_with_its_caller_as_evidence(
    analyse: Callable[[str], Analysis],
) -> None:
    (found,) = (item for item in analyse(HELPER).findings if item.rule.code == "ZG101")

    assert found.location.line == 6
    assert [(item.what, item.location.line) for item in found.evidence] == [
        ("spent by `optimizer.step()`", 7),
        ("called here", 10),
    ]


def test_the_fingerprint_stays_when_lines_move(analyse: Callable[[str], Analysis]) -> None:
    first = analyse(HELPER).findings
    second = analyse("    moved = 1\n" + HELPER).findings

    assert [item.fingerprint for item in first] == [item.fingerprint for item in second]


def test_the_fingerprint_differs_between_functions(analyse: Callable[[str], Analysis]) -> None:
    first = analyse(HELPER).findings
    second = analyse(HELPER.replace("update", "advance")).findings

    assert first[0].fingerprint != second[0].fingerprint
