"""The reach line: what was checked, what was not, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerograd.findings import Location, Withheld
from zerograd.lint import LoopReach
from zerograd.lint.checks.loop_coverage import once

if TYPE_CHECKING:
    from collections.abc import Callable

    from zerograd.lint import Analysis

HERE = Location("train.py", 1)
LACKING = Withheld("missing-zero", ("the backward reaches this optimizer",), HERE)


def test_an_unresolved_step_is_named(analyse: Callable[[str], Analysis]) -> None:
    found = analyse("""\
        for x in loader:
            optimizer.zero_grad()
            model(x).sum().backward()
            self.optimizer_step(optimizer)
            optimizer.step()
    """)

    assert [item.stopped for item in found.loops] == ["unresolved `self.optimizer_step`"]


CLEAN = """\
    for x in loader:
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
"""


def test_a_loop_that_is_right_is_judged_by_every_family_that_applies(
    analyse: Callable[[str], Analysis],
) -> None:
    (loop,) = analyse(CLEAN).loops

    assert loop.families == {"clearing": (), "spending": (), "graph": ()}


def test_a_window_a_scaler_and_ranks_bring_their_families(
    analyse: Callable[[str], Analysis],
) -> None:
    (loop,) = analyse("""\
        from torch.nn.parallel import DistributedDataParallel
        scaler = torch.amp.GradScaler()
        for i, x in enumerate(loader):
            scaler.scale(model(x).mean() / 4).backward()
            if (i + 1) % 4 == 0:
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()
    """).loops

    assert list(loop.families or ()) == [
        "clearing",
        "windows",
        "spending",
        "scaling",
        "ranks",
        "graph",
    ]


def test_a_loop_that_was_stopped_is_judged_by_none(analyse: Callable[[str], Analysis]) -> None:
    (loop,) = analyse("""\
        for x in loader:
            model(x).sum().backward()
            self.optimizer_step(optimizer)
            optimizer.step()
    """).loops

    assert (loop.checked, loop.families) == (False, None)


def test_what_one_root_can_judge_another_root_does_not_withhold() -> None:
    unknown = LoopReach(HERE, None, {"clearing": (LACKING,), "graph": ()})
    known = LoopReach(HERE, None, {"clearing": (), "windows": ()})
    stopped = LoopReach(HERE, "unresolved `engine.run`")

    (merged,) = once([stopped, unknown, known])

    assert merged == LoopReach(HERE, None, {"clearing": (), "windows": (), "graph": ()})
    assert once([known, stopped]) == [known]
