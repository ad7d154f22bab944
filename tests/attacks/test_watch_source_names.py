"""What a code object calls its file may be a pipe or a device: nothing is waited for.

Each of these hung the training, or broke the watching off.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import torch

import zerograd
from zerograd.bounded_read import source_line, source_lines

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")

PROGRAM = """
def train(model, optimizer, x):
    for _ in range(3):
        {loss}.backward()
        optimizer.step()
"""


def watched(name: str, loss: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the report of a training whose code says that it is in this file."""
    names: dict[str, Any] = {}
    exec(compile(PROGRAM.format(loss=loss), name, "exec"), names)
    model = torch.nn.Linear(3, 1)
    with zerograd.watch(isolated=True):
        names["train"](model, torch.optim.SGD(model.parameters(), lr=0.1), torch.ones(2, 3))
    return capsys.readouterr().err


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", ["pipe", "pipe on sys.path", "/dev/zero", "/proc/kmsg"])
def test_a_file_that_is_none_has_no_lines(
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    monkeypatch.syspath_prepend(tmp_path)
    name = {"pipe": str(tmp_path / "pipe.py"), "pipe on sys.path": "pipe.py"}.get(kind, kind)

    report = watched(name, "model(x).mean()", capsys)

    assert f"{Path(name)}:4:1: ZG101 missing-zero: `line 4` adds to gradients" in report


def test_a_statement_of_hundreds_of_terms_is_shown_as_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loss = f"({' + '.join(['model(x).mean()'] * 400)})"
    (tmp_path / "deep.py").write_text(PROGRAM.format(loss=loss))

    report = watched(str(tmp_path / "deep.py"), loss, capsys)

    assert "ZG101 missing-zero: `(model(x).mean() + model(x).mean()" in report


def test_an_ordinary_file_has_its_lines_and_a_giant_has_none(tmp_path: Path) -> None:
    small, giant = tmp_path / "small.py", tmp_path / "giant.py"
    small.write_text("one\ntwo\n")
    giant.touch()
    os.truncate(giant, 2**33)

    lines = source_lines(str(small))
    second, third = source_line(str(small), 2), source_line(str(small), 3)

    assert (lines, second, third) == (["one\n", "two\n"], "two\n", "")
    assert source_lines(str(giant)) == []
