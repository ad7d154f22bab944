"""The table beside these tests names tests that exist, at least one for each line of the issue."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
TABLE = (HERE / "README.md").read_text("utf-8")
LINE = re.compile(r"^\| (\d+) \|", re.MULTILINE)
NAMED = re.compile(r"`(test_\w+)\.py`|`(test_\w+)`")


def named() -> list[str]:
    """Return each test that the table names, after its file."""
    file, tests = "", []
    for match in NAMED.finditer(TABLE.partition("|---|")[2]):
        file = match[1] or file
        tests += [f"{file}.py: {match[2]}"] if match[2] else []
    return tests


def existing() -> set[str]:
    """Return each test of this folder, after its file."""
    return {
        f"{path.name}: {name}"
        for path in HERE.glob("test_*.py")
        for name in re.findall(r"^def (test_\w+)\(", path.read_text("utf-8"), re.MULTILINE)
    }


def test_every_line_of_the_issue_has_a_test() -> None:
    lines = [int(number) for number in LINE.findall(TABLE)]

    assert lines == list(range(1, 19))


def test_every_test_that_the_table_names_exists() -> None:
    tests = named()

    assert len(tests) > 18
    assert set(tests) - existing() == set()
