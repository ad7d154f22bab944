"""The demo's every part ends as its story says."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warm_python import warm_python

if TYPE_CHECKING:
    import pytest

FOLDER = Path(__file__).parents[2] / "demo"


def test_the_story_is_told_to_its_end(tmp_path: Path) -> None:
    told = subprocess.run(
        [warm_python(), FOLDER / "story.py", tmp_path], capture_output=True, text=True
    )

    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.count("ZG101 missing-zero") == 2
    assert (tmp_path / "report.html").stat().st_size > 100_000
    assert "    optimizer.zero_grad()\n    loss.backward()" in (tmp_path / "train.py").read_text()


def test_a_part_that_ends_otherwise_ends_the_story(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story: dict[str, Any] = runpy.run_path(str(FOLDER / "story.py"))
    story["main"].__globals__["STORY"] = (("Said.", (sys.executable, "-c", "exit(3)"), 0),)

    assert story["main"](tmp_path) == 1
    assert capsys.readouterr().out.endswith("should have ended with 0, and ended with 3\n")
