"""The reach line: what was checked, what was not, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.lint import Analysis


def test_an_unresolved_step_is_named(analyse: Callable[[str], Analysis]) -> None:
    found = analyse("""\
        for x in loader:
            optimizer.zero_grad()
            model(x).sum().backward()
            self.optimizer_step(optimizer)
            optimizer.step()
    """)

    assert [item.stopped for item in found.loops] == ["unresolved `self.optimizer_step`"]
