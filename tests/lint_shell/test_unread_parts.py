"""A file that is not valid Python costs what cannot be read of it, not the whole file."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint_programs import notebook

from zerograd.cli import main

pytest_plugins = ["lint_project"]

LINT = ["lint", "--isolated", "--format", "concise"]
LOOP = """\
import torch
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in [torch.randn(4, 3)] * 9:
    loss = model(x).pow(2).mean()
    loss.backward()
    optimizer.step()
"""


def lines_of(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    main(arguments)
    return capsys.readouterr().out.splitlines()


def told(lines: list[str]) -> list[str]:
    """Return place, code and name of each finding."""
    return [line.split(": ")[0] + " " + line.split(": ")[1].split()[0] for line in lines]


@pytest.mark.parametrize(
    ("extra", "first"),
    [
        ("    print 'loss', loss.data[0]\n", "train.py:8:5 ZG001"),
        ("    x = x.cuda(async=True)\n", "train.py:8:16 ZG001"),
        ("def accuracy(out):\n    return (out\n", "train.py:9:12 ZG001"),
        ("def load(path):\n    try:\n        pass\n    except IOError, e:\n        raise\n", None),
        ("if model\n    print(model)\n", "train.py:8:9 ZG001"),
        ("<<<<<<< HEAD\nlr = 1\n=======\nlr = 2\n>>>>>>> dev\n", "train.py:8:1 ZG001"),
        ("text = f'{' \n", None),
        ("x = [1,\n", None),
    ],
    ids=["print", "async", "unclosed", "except", "colon", "merge", "f-string", "list"],
)
def test_the_loop_before_what_cannot_be_read_is_judged(
    here: Path, extra: str, first: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(LOOP + extra)

    found = told(lines_of([*LINT, "train.py"], capsys))

    assert found[0] == "train.py:6:5 ZG101"
    assert len(found) == 2
    assert first in (None, found[1])


def test_the_place_that_was_left_out_is_named_in_the_reach(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(LOOP + "def accuracy(out):\n    return (out\n")

    lines = lines_of([*LINT, "--reach", "train.py"], capsys)

    assert lines[0] == "train.py:9:1: not checked: not valid Python: '(' was never closed"


def test_a_line_about_gradients_that_cannot_be_read_may_have_done_anything(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(LOOP + "    optimizer.zero_grad( set_to_none=True;\n")

    found = told(lines_of([*LINT, "train.py"], capsys))

    assert found == ["train.py:8:42 ZG001"]


def test_one_incomplete_cell_does_not_silence_a_notebook(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.ipynb").write_text(notebook("import torch\nx = (", LOOP))

    found = told(lines_of([*LINT, "train.ipynb"], capsys))

    assert found == ["train.ipynb:cell 1:2:5 ZG001", "train.ipynb:cell 2:6:5 ZG101"]


def test_an_indented_cell_is_read_as_ipython_reads_it(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    indented = "".join(f"    {line}\n" for line in LOOP.splitlines())
    Path("train.ipynb").write_text(notebook("import torch", indented))

    found = told(lines_of([*LINT, "train.ipynb"], capsys))

    assert found == ["train.ipynb:cell 2:6:9 ZG101"]


def test_a_file_that_is_mended_gets_no_repair(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = LOOP + "    print loss\n"
    Path("train.py").write_text(content)

    main([*LINT, "--fix", "--unsafe-fixes", "train.py"])

    assert Path("train.py").read_text() == content


def test_python_2_is_called_python_2(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("train.py").write_text(LOOP + "print 'done'\n")

    lines = lines_of([*LINT, "train.py"], capsys)

    assert lines[1].startswith("train.py:8:1: ZG001 unparsable-file: written for Python 2: ")


def test_a_broken_file_that_is_no_training_code_is_passed_over(here: Path) -> None:
    Path("old.py").write_text("print 'gradient.grad of a picture'\n")

    assert main([*LINT, "."]) == 0
