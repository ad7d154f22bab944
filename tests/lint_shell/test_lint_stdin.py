"""`zerograd lint -` reads standard input, under a name if it gets one."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from lint_programs import HEADLINE, MISSING_ZERO, notebook

from zerograd.cli import main

pytest_plugins = ["lint_project"]

LINT = ["lint", "--preview", "--format", "concise"]


def put(content: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))


def test_standard_input_is_linted(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(MISSING_ZERO, monkeypatch)

    status = main([*LINT, "-"])

    assert capsys.readouterr().out.startswith(f"stdin.py:{HEADLINE}")
    assert status == 1


def test_a_closed_standard_input_is_a_sentence(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", None)

    status = main([*LINT, "-"])

    assert (status, capsys.readouterr().err) == (
        2,
        "zerograd: standard input is closed; name a file, or write `< train.py`\n",
    )


def test_it_takes_the_place_of_the_file_whose_name_it_gets(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text("saved = 'before'\n")
    put(MISSING_ZERO, monkeypatch)

    main(["lint", "--preview", "-", "--stdin-filename", "train.py"])

    out = capsys.readouterr().out
    assert out.startswith(f"train.py:{HEADLINE}")
    assert "7 | loss.backward()" in out


def test_a_notebook_is_known_by_its_name(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(notebook("import torch", MISSING_ZERO), monkeypatch)

    main([*LINT, "-", "--stdin-filename", "train.ipynb"])

    assert capsys.readouterr().out.startswith("train.ipynb:cell 2:7:5: ZG101")


def test_a_name_that_is_excluded_is_not_linted_when_that_is_forced(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(MISSING_ZERO, monkeypatch)

    assert main([*LINT, "-", "--stdin-filename", "build/train.py", "--force-exclude"]) == 0


def test_a_name_that_is_excluded_comes_back_as_it_was_when_a_repair_is_asked_for(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    put(MISSING_ZERO, monkeypatch)

    status = main(
        [
            "lint",
            "--fix",
            "--unsafe-fixes",
            "-",
            "--stdin-filename",
            "build/a.py",
            "--force-exclude",
        ]
    )

    out, err = capfdbinary.readouterr()
    assert out == MISSING_ZERO.encode()
    assert err == (
        b"note: build/a.py is excluded by the settings\nFound nothing; no loop to check.\n"
    )
    assert status == 0


def test_repaired_it_goes_to_stdout_and_the_report_to_stderr(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    put("x = 1  # zerograd: ignore[missing-zero]\n", monkeypatch)

    status = main(["lint", "--hints", "--fix", "-"])

    out, err = capfdbinary.readouterr()
    assert out == b"x = 1\n"
    assert err == b"Found nothing; no loop to check.\n"
    assert status == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-", "train.py"], "`-` stands alone: standard input, or files"),
        (
            ["--stdin-filename", "a.py"],
            "--stdin-filename goes with `-`; write `zerograd lint -`",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(
    here: Path, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["lint", *arguments])

    assert capsys.readouterr().err == f"zerograd: {sentence}\nTry `zerograd lint --help`.\n"
    assert status == 2
