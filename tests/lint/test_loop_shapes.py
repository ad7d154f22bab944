"""Programs in the shapes that people write, broken and right: lint says what their heads say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from zerograd.lifecycle import Severity
from zerograd.lint import Analyser, Project, Source

BOOKS = Path(__file__).parent / "loop_shapes"
PROGRAM = re.compile(r"^=== (?P<name>.*?) \| (?P<expected>.*)\n", re.MULTILINE)
FILE = re.compile(r"^--- (.*)\n", re.MULTILINE)


def programs() -> list[object]:
    """One parameter a program: its files, and what is expected of lint."""
    found: list[object] = []
    for book in sorted(BOOKS.glob("*.txt")):
        parts = PROGRAM.split(book.read_text("utf-8"))[1:]
        for name, expected, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            pieces = FILE.split(text)
            files = dict(zip(pieces[1::2], pieces[2::2], strict=True)) or {"train.py": text}
            found.append(pytest.param(files, expected.split(), id=f"{book.stem}: {name}"))
    return found


def said(folder: Path, files: dict[str, str]) -> set[str]:
    """What lint says of all files: `ZG101`, or `hint:ZG203`."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    analyser = Analyser(Project(folder), repairs=False)
    found = [
        item
        for name, text in files.items()
        for item in analyser.analyse(Source(str(folder / name), text)).findings
    ]
    return {
        f"hint:{item.rule.code}" if item.severity is Severity.HINT else item.rule.code
        for item in found
    }


@pytest.mark.parametrize(("files", "expected"), programs())
def test_lint_says_what_the_head_of_a_program_says(
    tmp_path: Path, files: dict[str, str], expected: list[str]
) -> None:
    found = said(tmp_path, files)

    assert {item for item in found if item.startswith("ZG")} == {
        item for item in expected if item.startswith("ZG")
    }
    assert {item for item in expected if item.startswith("hint:")} <= found
    assert not {item.removeprefix("no-") for item in expected if "no-hint:" in item} & found


def test_there_are_broken_and_right_programs() -> None:
    heads = [item.values[1] for item in programs()]  # type: ignore[attr-defined]  # parameters

    assert len([head for head in heads if any("ZG" in item for item in head)]) > 40
    assert len([head for head in heads if not any("ZG" in item for item in head)]) > 40
