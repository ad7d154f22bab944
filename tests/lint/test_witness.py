"""What a finding shows: the way to it, and the callers."""

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
