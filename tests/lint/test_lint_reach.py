"""The reach line: what was checked, what was not, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.findings import Location
from zerograd.lint import LoopReach, summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.lint import Analysis

HERE = Location("train.py", 1)


def test_all_checked() -> None:
    assert summary([LoopReach(HERE)]) == "1 loop: all checked"


def test_what_stopped_is_counted() -> None:
    loops = [LoopReach(HERE), LoopReach(HERE, "unresolved `engine.run`")]

    assert summary(loops) == "2 loops: 1 checked, 1 not (unresolved `engine.run` in 1)"


def test_an_unresolved_step_is_named(analyse: Callable[[str], Analysis]) -> None:
    found = analyse("""\
        for x in loader:
            optimizer.zero_grad()
            model(x).sum().backward()
            self.optimizer_step(optimizer)
            optimizer.step()
    """)

    assert [item.stopped for item in found.loops] == ["unresolved `self.optimizer_step`"]
