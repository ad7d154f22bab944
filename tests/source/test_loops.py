"""What a loop's source shows about its window, and which names its targets have."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from zerograd.lifecycle import Loop
from zerograd.source.lines import CallSite, Line
from zerograd.source.loops import Reader, loop_targets
from zerograd.source.parsing import statement_at

if TYPE_CHECKING:
    from pathlib import Path

LOOPS = {
    "for x in data:\n    loss.backward()\n    optimizer.step()": Loop(),
    "for i, x in data:\n    loss.backward()\n    if i % 4 == 3:\n        optimizer.step()": Loop(
        meant=True
    ),
    "for xs in data:\n    for x in xs:\n        loss.backward()\n    optimizer.step()": Loop(
        meant=True
    ),
    "for x in data:\n    (loss / accum_steps).backward()\n    optimizer.step()": Loop(
        declared=True
    ),
    "for task in data:\n    loss.backward()\noptimizer.step()": Loop(per_task=True),
}

TARGETS = {
    "for epoch in range(2):\n    for i, x in enumerate(data):\n        loss.backward()": (
        "epoch",
        "i",
    ),
    "while True:\n    loss.backward()": (),
    "def f():\n    for x in data:\n        loss.backward(); locals()": (),
}

STATEMENTS = {
    "loss.backward()": "loss.backward()",
    "if loss.backward():\n    pass": "loss.backward()",
    "loss = model(x); loss.backward()": None,
}


def at_backward(folder: Path, text: str) -> CallSite:
    path = folder / "train.py"
    path.write_text(text, "utf-8")
    number = next(i for i, line in enumerate(text.splitlines(), 1) if "backward" in line)
    return CallSite(Line(str(path), number))


@pytest.mark.parametrize(("text", "shown"), LOOPS.items())
def test_a_loop_shows_whether_its_window_is_meant(text: str, shown: Loop, tmp_path: Path) -> None:
    assert Reader().loop(at_backward(tmp_path, text)) == shown


@pytest.mark.parametrize(("text", "names"), TARGETS.items())
def test_targets_are_named_from_the_outermost_loop(
    text: str, names: tuple[str, ...], tmp_path: Path
) -> None:
    assert loop_targets(at_backward(tmp_path, text).line) == names


@pytest.mark.parametrize(("text", "spelled"), STATEMENTS.items())
def test_a_line_has_one_statement_or_none_that_can_be_told(
    text: str, spelled: str | None, tmp_path: Path
) -> None:
    node = statement_at(at_backward(tmp_path, text).line)

    assert (ast.unparse(node) if node else None) == spelled
