"""Whatever a file holds, lint says a clear line about it and goes on with the others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from lint_programs import HEADLINE, MISSING_ZERO, notebook

from zerograd.cli import main

pytest_plugins = ["lint_project"]

LINT = ["lint", "--preview", "--format", "concise"]


def lines_of(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    main(arguments)
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (
            b"for x in loader\n    loss.backward()\n",
            "bad.py:1:16: ZG001 unparsable-file: not valid Python: expected ':'",
        ),
        (
            b"loss.backward()\n<<<<<<< HEAD\n",
            "bad.py:2:1: ZG001 unparsable-file: an unresolved merge: invalid syntax",
        ),
        (
            b"loss.backward()\n  x = 1\n",
            "bad.py:2:2: ZG001 unparsable-file: not valid Python: unexpected indent",
        ),
        (
            b"\x7fELF\0\0 loss.backward()",
            "bad.py:1:1: ZG004 unreadable-file: this file holds zero bytes, as binary files do",
        ),
        (
            b"# only a comment \xe9\n",
            (
                "bad.py:1:1: ZG004 unreadable-file: this file is no utf-8 text: line 1 has other "
                "bytes; declare its encoding in the first line: `# -*- coding: latin-1 -*-`"
            ),
        ),
    ],
    ids=["syntax", "merge conflict", "indentation", "binary", "encoding"],
)
def test_a_bad_file_is_a_finding_and_the_others_are_linted(
    here: Path, content: bytes, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.py").write_bytes(content)
    Path("train.py").write_text(MISSING_ZERO)

    lines = lines_of(LINT, capsys)

    assert lines[0] == line
    assert lines[1].startswith(f"train.py:{HEADLINE}")


def test_a_syntax_error_in_a_notebook_stands_in_its_cell(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.ipynb").write_text(notebook("import torch", "x = 1\nloss.backward(\n"))

    assert lines_of(LINT, capsys) == [
        "bad.ipynb:cell 2:2:14: ZG001 unparsable-file: not valid Python: '(' was never closed"
    ]


def test_a_notebook_that_is_none_is_a_finding(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.ipynb").write_text("not JSON")

    assert lines_of(LINT, capsys) == [
        (
            "bad.ipynb:1:1: ZG004 unreadable-file: this file is no notebook: "
            "no JSON with a list of cells"
        )
    ]


@pytest.mark.parametrize("content", [b"", b"\n", b"\xef\xbb\xbf", b"# nothing\r\n", b"\x0c\n"])
def test_a_file_without_code_is_fine(here: Path, content: bytes) -> None:
    Path("empty.py").write_bytes(content)

    assert main(["lint", "empty.py"]) == 0


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + MISSING_ZERO.encode(),
        MISSING_ZERO.replace("\n", "\r\n").encode(),
        MISSING_ZERO.replace("    ", "\t").encode(),
        MISSING_ZERO.rstrip("\n").encode(),
    ],
    ids=["byte order mark", "CRLF", "tabs", "no newline at the end"],
)
def test_odd_but_valid_files_are_judged(
    here: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_bytes(content)

    (line,) = lines_of(LINT, capsys)

    assert line.startswith("train.py:7:")


def test_a_large_file_is_skipped_with_a_note_unless_it_is_named(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("large.py").write_text(MISSING_ZERO + "#" * 1_000_000)

    status = main(["lint", "--preview"])

    assert capsys.readouterr().out.startswith(
        "note: large.py is larger than 1 MB and was skipped; name it to lint it\n"
    )
    assert status == 0
    assert main(["lint", "--preview", "large.py"]) == 1


@pytest.mark.parametrize("name", ["missing.py", "nowhere.py"])
def test_a_named_path_that_cannot_be_read_is_status_two(
    here: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("nowhere.py").symlink_to("gone")
    Path("train.py").write_text(MISSING_ZERO)

    status = main([*LINT, name, "train.py"])

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        f"{name}:1:1: ZG004 unreadable-file: this file cannot be found; check its path"
    )
    assert lines[1].startswith("train.py:7:5: ZG101")
    assert status == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_a_finding(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("closed.py").write_text(MISSING_ZERO)
    Path("closed.py").chmod(0)

    assert lines_of(LINT, capsys) == [
        "closed.py:1:1: ZG004 unreadable-file: this file cannot be read: permission denied"
    ]


@pytest.mark.parametrize(
    "deep",
    [
        "x = " + " + ".join(["1"] * 20_000) + "\n",
        "x = " + "(" * 150 + "1" + ")" * 150 + "\n",
        "x" + ".y" * 2_000 + "\n",
        "x = " + "-" * 20_000 + "1\n",
    ],
    ids=["sum", "parentheses", "attributes", "signs"],
)
def test_deep_nests_are_read_without_falling_over(
    here: Path, deep: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("deep.py").write_text(MISSING_ZERO + deep)

    status = main([*LINT, "deep.py"])

    assert capsys.readouterr().out.startswith(("deep.py:7:5: ZG101", "deep.py:1:1: ZG001"))
    assert status == 1


def test_a_failure_of_our_own_is_told_and_the_others_are_linted(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*arguments: object) -> None:
        raise KeyError("x")

    Path("odd.py").write_text("f()  # zerograd: ignore\n")
    Path("train.py").write_text(MISSING_ZERO)
    monkeypatch.setattr("zerograd.findings.suppression.Suppression.unknown", fail)

    status = main([*LINT])

    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        f"{name}:1:1: ZG004 unreadable-file: this file could not be linted: KeyError: 'x'; "
        "please report it"
        for name in ("odd.py", "train.py")
    ]
    assert status == 2


def test_a_named_file_with_a_syntax_error_is_always_told(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("tables.py").write_text("x = (1,\n")

    named = main(["lint", "tables.py", "--format", "concise", "--quiet"])
    said = capsys.readouterr().out
    found = main(["lint", ".", "--format", "concise", "--quiet"])

    assert (named, found) == (1, 0)
    assert said == "tables.py:1:5: ZG001 unparsable-file: not valid Python: '(' was never closed\n"


def test_a_named_file_with_a_syntax_error_is_told_also_by_other_processes(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("tables.py").write_text("def f(:\n    optimizer.step()\n")
    Path("other.py").write_text("optimizer.step()\n")

    status = main(["lint", "tables.py", "other.py", "-j", "2", "--format", "concise", "--quiet"])

    assert status == 1
    assert capsys.readouterr().out.startswith("tables.py:1:7: ZG001 unparsable-file: ")
