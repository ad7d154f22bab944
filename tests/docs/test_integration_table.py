"""docs/integrations.md names the test of each integration, and every integration is in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from zerograd.integrations import trackers
from zerograd.settings import FORMATS

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs/integrations.md").read_text("utf-8").partition("| Where | How | Test |\n")[2]
ROWS = [re.split(r"(?<!\\)\|", line)[1:-1] for line in TABLE.partition("\n\n")[0].splitlines()[1:]]
PLACES = " ".join(row[0] for row in ROWS).lower()
GUIDES = "".join(path.read_text("utf-8") for path in (ROOT / "docs/guides").glob("*.md"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip())
def test_the_test_of_an_integration_exists(row: list[str]) -> None:
    named = re.findall(r"`((?:tests|editors)/[^`]+)`", row[-1])

    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_there_are_integrations() -> None:
    assert len(ROWS) > 5


def test_every_module_of_integrations_that_users_name_is_in_the_table() -> None:
    named = {
        path.stem
        for path in (ROOT / "src/zerograd/integrations").glob("*.py")
        if f"zerograd.integrations.{path.stem} import" in GUIDES
    }

    assert named == {"accelerate", "ignite", "lightning", "skorch", "trackers", "transformers"}
    assert {name for name in named - {"trackers"} if name not in PLACES} == set()


def test_every_tracker_is_in_the_table() -> None:
    adapters = [
        one.__name__
        for one in trackers.BufferedTracker.__subclasses__()
        if one.__module__ == trackers.__name__
    ]

    assert len(adapters) == 4
    assert [name for name in adapters if f"`track={name}(" not in TABLE] == []


def test_every_format_for_a_program_is_in_the_table() -> None:
    for_people = {"full", "concise"}

    assert {one for one in FORMATS if f"--format {one}" not in TABLE} == for_people


def test_every_editor_of_the_page_is_in_the_table() -> None:
    sections = re.findall(r"^## (.+)$", (ROOT / "docs/editors.md").read_text("utf-8"), re.MULTILINE)
    editors = set(sections) - {"Without a server", "What was tried"}

    assert len(editors) > 4
    assert {name for name in editors if name.lower() not in PLACES} == set()


@pytest.mark.parametrize("folder", ["tests/integrations", "tests/server"])
def test_every_test_of_an_integration_is_in_the_table(folder: str) -> None:
    tests = [path.relative_to(ROOT).as_posix() for path in (ROOT / folder).glob("test_*.py")]

    assert len(tests) > 2
    assert [name for name in tests if f"`{name}`" not in TABLE] == []
