"""What docs/watch.md shows is what happens: its files are written, its commands are run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from test_readme import commands, shell

PAGE = (Path(__file__).parents[1] / "docs" / "watch.md").read_text("utf-8")
FILE = re.compile(r"^```python\n(# (\S+)\n.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for source, name in FILE.findall(PAGE):
        (tmp_path / name).write_text(source)
    monkeypatch.chdir(tmp_path)


def test_every_program_of_the_page_is_a_file_and_there_are_commands() -> None:
    assert len(FILE.findall(PAGE)) == PAGE.count("```python") == 4
    assert len(commands(PAGE)) == PAGE.count("\n$ ") == 6


@pytest.mark.usefixtures("written")
@pytest.mark.parametrize(("command", "output"), commands(PAGE))
def test_a_command_of_the_page_shows_what_stands_under_it(command: str, output: str) -> None:
    assert shell(command) == output
