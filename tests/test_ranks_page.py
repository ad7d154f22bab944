"""What docs/ranks.md shows is what happens, on real ranks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from page_programs import output_of

PAGE = (Path(__file__).parent.parent / "docs" / "ranks.md").read_text("utf-8")
PROGRAM = re.compile(r"^```python\n(.*?)^```\n+```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = PROGRAM.findall(PAGE)


@pytest.mark.parametrize(("source", "output"), PROGRAMS, ids=["train", "compare"])
def test_a_program_prints_what_stands_under_it(source: str, output: str, tmp_path: Path) -> None:
    assert output_of(source, tmp_path) == output


def test_every_program_is_run() -> None:
    assert len(PROGRAMS) == PAGE.count("```python\n") == 2
