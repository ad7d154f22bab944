"""`--add-ignores` writes comments for the findings of today, and changes nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lint_programs import MISSING_ZERO, notebook

from zerograd.cli import main

pytest_plugins = ["lint_project"]

ADD = ["lint", "--add-ignores", "--format", "concise"]


def test_what_was_found_is_ignored_on_its_line(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(MISSING_ZERO)

    status = main(ADD)

    assert Path("train.py").read_text() == MISSING_ZERO.replace(
        "    loss.backward()\n", "    loss.backward()  # zerograd: ignore[missing-zero]\n"
    )
    assert status == 0
    assert capsys.readouterr() == (
        "",
        "zerograd: ignored 1 finding in 1 file\nFound nothing; 1 loop: all checked.\n",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "loss.backward(\n        retain_graph=False\n    )",
            "loss.backward(\n        retain_graph=False\n    )  # zerograd: ignore[missing-zero]",
        ),
        (
            "loss.backward()  # of this batch",
            "loss.backward()  # of this batch  # zerograd: ignore[missing-zero]",
        ),
        (
            "loss.backward()  # zerograd: ignore[spent-twice]",
            "loss.backward()  # zerograd: ignore[spent-twice, missing-zero]",
        ),
        (
            "# zerograd: ignore[spent-twice]\n    loss.backward()",
            "# zerograd: ignore[spent-twice, missing-zero]\n    loss.backward()",
        ),
        (
            "loss \\\n        .backward()",
            "loss \\\n        .backward()  # zerograd: ignore[missing-zero]",
        ),
        (
            "x = '''\n'''; loss.backward()",
            "x = '''\n'''; loss.backward()  # zerograd: ignore[missing-zero]",
        ),
    ],
)
def test_the_comment_stands_where_python_takes_one(here: Path, before: str, after: str) -> None:
    Path("train.py").write_text(MISSING_ZERO.replace("loss.backward()", before))

    main(ADD)

    assert Path("train.py").read_text() == MISSING_ZERO.replace("loss.backward()", after)


@pytest.mark.parametrize("unread", ["print 'of Python 2'\n", "def broken(:\n    pass\n", "x = (\n"])
@pytest.mark.parametrize("program", ["{unread}{loop}", "{loop}{unread}"])
def test_what_cannot_be_read_elsewhere_keeps_no_comment_away(
    here: Path, unread: str, program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(program.format(unread=unread, loop=MISSING_ZERO))

    main(ADD)

    ignored = MISSING_ZERO.replace(
        "    loss.backward()\n", "    loss.backward()  # zerograd: ignore[missing-zero]\n"
    )
    assert Path("train.py").read_text() == program.format(unread=unread, loop=ignored)
    assert "ZG101" not in capsys.readouterr().out


def test_a_broken_cell_keeps_no_comment_out_of_another(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    setup, loop = MISSING_ZERO.split("for ")
    cells = [setup, "def broken(:\n", f"for {loop}"]
    Path("lesson.ipynb").write_text(notebook(*cells))

    main(ADD)

    assert Path("lesson.ipynb").read_text() == notebook(*cells).replace(
        "loss.backward()", "loss.backward()  # zerograd: ignore[missing-zero]"
    )
    assert "ZG101" not in capsys.readouterr().out


def test_line_ends_stay_as_they_are(here: Path) -> None:
    Path("train.py").write_bytes(MISSING_ZERO.replace("\n", "\r\n").encode())

    main(ADD)

    text = Path("train.py").read_bytes()
    assert b"loss.backward()  # zerograd: ignore[missing-zero]\r\n" in text
    assert text.count(b"\n") == text.count(b"\r\n")


def test_a_cell_of_a_notebook_gets_its_comment(here: Path) -> None:
    setup, loop = MISSING_ZERO.split("for ")
    Path("lesson.ipynb").write_text(notebook(setup, f"for {loop}"))

    status = main(ADD)

    cells = json.loads(Path("lesson.ipynb").read_text())["cells"]
    assert "    loss.backward()  # zerograd: ignore[missing-zero]\n" in cells[1]["source"]
    assert status == 0


def test_a_difference_is_shown_and_nothing_written(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(MISSING_ZERO)

    status = main([*ADD, "--diff"])

    out, err = capsys.readouterr()
    assert "+    loss.backward()  # zerograd: ignore[missing-zero]\n" in out
    assert err == "zerograd: would ignore 1 finding in 1 file\n"
    assert status == 1
    assert Path("train.py").read_text() == MISSING_ZERO


def test_a_file_that_cannot_be_parsed_is_still_told(here: Path) -> None:
    Path("train.py").write_text("import torch\nloss.backward(\n")

    status = main(ADD)

    assert status == 1
    assert Path("train.py").read_text() == "import torch\nloss.backward(\n"
