"""What the pages show is what happens: programs are run, files are written, commands are typed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from test_guides import PROGRAM
from test_readme import commands, shell

DOCS = Path(__file__).parents[1] / "docs"
PAGES = ("tutorial.md", "guides/*.md", "explanation/*.md", "reference/*.md")
GUIDES = {
    path.stem: path.read_text("utf-8") for pages in PAGES for path in sorted(DOCS.glob(pages))
}
FILE = re.compile(r"^```(?:python|toml)\n(# (\S+\.\w+)\n.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDS = {"trainers": "ignite"}
"""What a page's commands need besides torch."""

PROGRAMS = [
    pytest.param(source, output, id=f"{name}-{number}")
    for name, guide in GUIDES.items()
    for number, (source, output) in enumerate(PROGRAM.findall(guide), 1)
]
COMMANDS = [pytest.param(name, id=name) for name, guide in GUIDES.items() if "```console" in guide]


@pytest.mark.parametrize(("source", "output"), PROGRAMS)
def test_a_program_of_a_guide_prints_what_stands_under_it(
    source: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(compile(source, "guide.py", "exec"), {"__name__": "__main__"})

    shown = capsys.readouterr()
    assert shown.out == output, shown.err


@pytest.mark.parametrize("name", COMMANDS)
def test_the_commands_of_a_guide_show_what_stands_under_them(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(NEEDS.get(name, "zerograd"))
    monkeypatch.chdir(tmp_path)
    for source, file in FILE.findall(GUIDES[name]):
        (tmp_path / file).write_text(source)

    session = commands(GUIDES[name])

    assert [shell(command) for command, _ in session] == [output for _, output in session]


@pytest.mark.parametrize("guide", GUIDES.values(), ids=GUIDES)
def test_every_program_and_every_command_of_a_guide_is_run(guide: str) -> None:
    programs = PROGRAM.findall(guide)
    files = [name for _, name in FILE.findall(guide) if name.endswith(".py")]

    assert len(programs) + len(files) == guide.count("```python\n")
    assert len(commands(guide)) == guide.count("\n$ ")


@pytest.mark.parametrize("name", [path.stem for path in (DOCS / "guides").glob("*.md")])
def test_every_guide_has_something_to_run(name: str) -> None:
    assert "```python\n" in GUIDES[name]
