"""What the guides under docs/ show is what happens: each program prints what stands under it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
GUIDES = (
    "engine.md",
    "splitting-a-batch.md",
    "where-the-articles-are-wrong.md",
)

# A program is one block: files that a page writes stand alone, without an output under them.
LINES = r"((?:(?!```)[^\n]*\n)*)"
PROGRAM = re.compile(rf"^```python\n{LINES}```\n+```text\n{LINES}```$", re.MULTILINE)
PROGRAMS = [
    pytest.param(source, output, id=f"{guide}-{number}")
    for guide in GUIDES
    for number, (source, output) in enumerate(PROGRAM.findall((DOCS / guide).read_text("utf-8")), 1)
]


@pytest.mark.parametrize(("source", "output"), PROGRAMS)
def test_a_program_prints_what_stands_under_it(
    source: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(compile(source, "guide.py", "exec"), {"__name__": "__main__"})

    assert capsys.readouterr().out == output


@pytest.mark.parametrize("guide", GUIDES)
def test_every_program_of_a_guide_is_run(guide: str) -> None:
    text = (DOCS / guide).read_text("utf-8")

    assert len(PROGRAM.findall(text)) == text.count("```python") >= 1
