"""What README shows is what happens: its programs and its commands are run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from warm_python import warm_bin, warm_python

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
DOCS = (".", "explanation", "guides", "reference")
"""The folders that are written by hand; `make docs` writes others beside them."""

PROGRAM = re.compile(r"^```python\n(.*?)^```\n+```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[tuple[str, str]]:
    """Return each command of the console blocks, with what is shown under it."""
    session = "".join(CONSOLE.findall(text))
    parts = re.split(r"^\$ (.*)\n", session, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def shell(command: str) -> str:
    """Run a command line with this environment's zerograd and return what it shows."""
    path = os.pathsep.join([str(warm_bin()), str(Path(sys.executable).parent), os.environ["PATH"]])
    # One pipe for both, as on a terminal: what is told on stderr stands where a reader sees it.
    run = subprocess.run(
        ["bash", "-c", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PATH": path},
    )
    return run.stdout


def test_there_are_programs_and_there_are_commands() -> None:
    assert len(PROGRAM.findall(README)) == README.count("```python") == 2
    assert len(commands(README)) == README.count("\n$ ") >= 2


def test_the_loop_of_the_first_screen_is_that_of_the_program_and_of_the_picture() -> None:
    (shown,) = re.findall(r"^```py\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    program = PROGRAM.findall(README)[0][0]

    assert shown in program
    assert shown.split("  #")[0] in (ROOT / "docs/forgotten.py").read_text("utf-8")


@pytest.mark.parametrize(("source", "output"), PROGRAM.findall(README), ids=["loop", "engine"])
def test_a_program_prints_what_stands_under_it(source: str, output: str) -> None:
    run = subprocess.run([warm_python(), "-c", source], capture_output=True, text=True)

    assert run.stdout + run.stderr == output


@pytest.mark.parametrize(("command", "output"), commands(README))
def test_a_command_shows_what_stands_under_it(command: str, output: str) -> None:
    assert shell(command) == output


def test_a_command_that_shows_something_else_would_be_noticed() -> None:
    ((command, output),) = commands("```console\n$ zerograd --version\nzerograd, version 0\n```\n")

    assert shell(command) != output


def test_ci_runs_a_command_that_readme_names_and_the_makefile_has() -> None:
    (command,) = re.findall(r"exec (make [a-z-]+)$", (ROOT / ".ci/run").read_text("utf-8"))

    assert f"`{command}`" in README
    assert set(re.findall(r"`make ([a-z-]+)`", README)) <= targets()


def test_every_target_of_the_makefile_has_its_line_in_the_help() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)

    assert set(phony.split()) == targets()


def targets() -> set[str]:
    """Return the Makefile's commands that `make help` lists."""
    text = (ROOT / "Makefile").read_text("utf-8")
    return set(re.findall(r"^([a-z-]+):.*##", text, re.MULTILINE))


def test_every_file_that_the_documents_link_to_exists() -> None:
    docs = [page for folder in DOCS for page in (ROOT / "docs" / folder).glob("*.md")]
    documents = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *docs]
    links = [
        document.parent / link
        for document in documents
        for link in re.findall(r"\]\(([^):#]+)\)", document.read_text("utf-8"))
    ]

    assert links
    assert [link for link in links if not link.exists()] == []
