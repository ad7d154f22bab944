"""`zerograd explain --run`: the loops of a page, side by side, and drawn."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest
from warm_python import warm_python

from zerograd.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def loops_start_warm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", warm_python())


ROW = re.compile(r"^ +(\d+)  (\S+) +(\S+) +(\S+) +(\S+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("explained")


@pytest.mark.usefixtures("loops_start_warm")
def test_both_loops_of_a_rule_are_shown_side_by_side_and_drawn(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / "shown.html"

    status = main(["explain", "missing-zero", "--run", "--html", str(file)])

    said, told = capsys.readouterr()
    rows = ROW.findall(said)
    assert (status, told) == (0, f"zerograd: report written to {file}\n")
    assert said.startswith("        broken                   repaired\n")
    assert [int(row[0]) for row in rows] == [*range(1, 13), 20, 30, 40]
    assert rows[0][1:3] == rows[0][3:5]
    assert float(rows[-1][1]) > 100 * float(rows[-1][3])
    assert "\nrepaired prints:\n  step 0: loss 5.415, gradient 3.857\n" in said
    assert_drawn(file)


def assert_drawn(file: Path) -> None:
    text = file.read_text()
    assert text.count('data-rule="missing-zero"') == 1
    assert '"process":"broken"' in text
    assert '"process":"repaired"' in text


@pytest.mark.usefixtures("loops_start_warm")
def test_a_topics_loop_is_shown_alone(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["explain", "do I need it with Adam?", "--run"])

    said = capsys.readouterr().out
    assert status == 0
    assert said.startswith(
        "        loop\n  step  loss        gradient\n     1  5.415       4.439\n"
    )
    assert "\nloop prints:\n  loss after 200 steps, cleared:       0.000\n" in said


def test_a_loop_that_breaks_down_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('a broken torch')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    status = main(["explain", "missing-zero", "--run"])

    assert status == 2
    assert capsys.readouterr().err == (
        "zerograd: broken.py did not run to its end (ImportError: a broken torch); "
        f"does `{sys.executable} -c 'import torch'` work?\n"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["missing-zero", "--html", "missing/shown.html"],
            "cannot write missing/shown.html; name a file in a folder that can be written",
        ),
        (
            ["missing-zero", "--html", ""],
            "cannot write .; name a file in a folder that can be written",
        ),
        (
            ["--run"],
            (
                "name what to run: zerograd explain missing-zero --run\n"
                "Try `zerograd explain --help`."
            ),
        ),
        (
            ["unparsable-file", "--run"],
            (
                "the page 'unparsable-file' has no loop to run; "
                "`zerograd explain unparsable-file` is all"
            ),
        ),
    ],
)
def test_what_cannot_be_run_is_refused_in_a_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["explain", *arguments])

    assert (status, capsys.readouterr().err) == (2, f"zerograd: {sentence}\n")
